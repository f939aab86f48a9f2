package rendezvousexporter

import "time"

// choice chooses endpoints for the units of one batch, all by what is known of the
// endpoints at one time.
type choice[T any] struct {
	endpoints []*endpoint[T]
	open      []bool // may be chosen
	probes    []bool // may be chosen to see whether they are back
	units     []int  // the endpoint of each unit
	chosen    []bool // for at least one unit
	items     []int  // that each was chosen for
	guests    []int  // those of them whose own endpoint is another one
}

// newChoice leaves out the endpoints that were tried with this batch, and those that are
// avoided if there are others. There has to be one that was not tried. A probe is not
// such another: it would get all that there is when the rest is still avoided.
func newChoice[T any](endpoints []*endpoint[T], tried []bool, now time.Time) *choice[T] {
	n := len(endpoints)
	c := &choice[T]{
		endpoints: endpoints,
		open:      make([]bool, n), probes: make([]bool, n), chosen: make([]bool, n),
		items: make([]int, n), guests: make([]int, n),
	}
	found := false
	for i, e := range endpoints {
		if !tried[i] {
			c.open[i], c.probes[i] = e.health.claim(now)
			found = found || c.open[i] && !c.probes[i]
		}
	}
	if !found {
		for i := range endpoints {
			c.open[i] = !tried[i]
		}
	}
	return c
}

// add chooses the endpoint of one more unit, the first in the order of its key that is
// open.
func (c *choice[T]) add(key uint64, items int) {
	own, chosen := 0, -1
	var ownWeight, chosenWeight uint64
	for i, e := range c.endpoints {
		w := weight(key, e.seed)
		if i == 0 || w > ownWeight {
			own, ownWeight = i, w
		}
		if c.open[i] && (chosen < 0 || w > chosenWeight) {
			chosen, chosenWeight = i, w
		}
	}
	c.units = append(c.units, chosen)
	c.chosen[chosen] = true
	c.items[chosen] += items
	if chosen != own {
		c.guests[chosen] += items
	}
}

// only is the endpoint that all units go to, if there is one.
func (c *choice[T]) only() (int, bool) {
	for _, to := range c.units {
		if to != c.units[0] {
			return 0, false
		}
	}
	return c.units[0], true
}
