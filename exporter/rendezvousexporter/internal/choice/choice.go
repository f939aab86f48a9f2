// Package choice chooses endpoints by rendezvous hashing.
package choice

// Choice chooses endpoints for the units of one batch.
type Choice struct {
	seeds  []uint64
	open   []bool
	Units  []int  // the endpoint of each unit
	Chosen []bool // for at least one unit
	Items  []int  // that each endpoint was chosen for
	Guests []int  // those of them whose own endpoint is another one
}

// New returns a choice among endpoints, by the seeds of their names. At least one has to
// be open.
func New(seeds []uint64, open []bool) *Choice {
	n := len(seeds)
	return &Choice{seeds: seeds, open: open, Chosen: make([]bool, n), Items: make([]int, n), Guests: make([]int, n)}
}

// Add chooses the endpoint of one more unit, the first in the order of its key that is
// open.
func (c *Choice) Add(key uint64, items int) {
	own, chosen := 0, -1
	var ownWeight, chosenWeight uint64
	for i, seed := range c.seeds {
		w := weight(key, seed)
		if i == 0 || w > ownWeight {
			own, ownWeight = i, w
		}
		if c.open[i] && (chosen < 0 || w > chosenWeight) {
			chosen, chosenWeight = i, w
		}
	}
	c.Units = append(c.Units, chosen)
	c.Chosen[chosen] = true
	c.Items[chosen] += items
	if chosen != own {
		c.Guests[chosen] += items
	}
}

// Only returns the endpoint that all units go to, if there is one.
func (c *Choice) Only() (int, bool) {
	for _, to := range c.Units {
		if to != c.Units[0] {
			return 0, false
		}
	}
	return c.Units[0], true
}
