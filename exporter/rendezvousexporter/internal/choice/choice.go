// SPDX-License-Identifier: Apache-2.0

// Package choice chooses endpoints by rendezvous hashing.
package choice

// Choice holds the endpoints chosen for the units of one batch.
type Choice struct {
	seeds    []uint64
	open     []bool
	Units    []int  // the endpoint of each unit
	Chosen   []bool // whether an endpoint was chosen for a unit
	Items    []int  // the number of items for each endpoint
	Failover []int  // of these, the number whose own endpoint is another one
}

// New returns a Choice among endpoints with these seeds. At least one endpoint must be open.
func New(seeds []uint64, open []bool) *Choice {
	n := len(seeds)
	return &Choice{seeds: seeds, open: open, Chosen: make([]bool, n), Items: make([]int, n), Failover: make([]int, n)}
}

// Add chooses the endpoint of the next unit: the open endpoint with the highest weight for its key.
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
		c.Failover[chosen] += items
	}
}

// Only returns the endpoint of all units, if there is only one.
func (c *Choice) Only() (int, bool) {
	for _, to := range c.Units {
		if to != c.Units[0] {
			return 0, false
		}
	}
	return c.Units[0], true
}
