// SPDX-License-Identifier: Apache-2.0

package owners

import "slices"

// send adds the points of a device: of its owners, and of those who have just left. It forgets those who left long ago.
func (c *collection) send(d *device) {
	d.records = slices.DeleteFunc(d.records, func(r *record) bool {
		if r.seen < c.time && r.left == 0 {
			r.left, r.ends = c.time, true
		}
		if gone := r.left != 0 && c.time.AsTime().Sub(r.left.AsTime()) > c.tracker.expiry; gone && !r.counts {
			c.addCounters(d, r, true)
			c.tracker.tracked--
			return true
		}
		due := r.left == 0 && r.sent < c.time
		if due || r.ends {
			c.addInfo(d, r, r.left != 0)
		}
		if due || r.counts {
			c.addCounters(d, r, false)
		}
		if due || r.ends || r.counts {
			c.sent = append(c.sent, r)
		}
		r.sent, r.counts, r.ends = c.time, false, false
		return false
	})
}

func (c *collection) addInfo(d *device, r *record, end bool) {
	c.samples = append(c.samples, Sample{Metric: Info, Identity: d.identity, OwnerValues: r.values, Time: c.time, Value: 1, Stale: end})
}

// addCounters adds the counters of an owner, or their end. There is none of what the device does not measure.
func (c *collection) addCounters(d *device, r *record, end bool) {
	for i, total := range r.totals {
		if d.meters[i].time == 0 {
			continue
		}
		c.samples = append(c.samples, Sample{
			Metric: i, Identity: d.identity, OwnerValues: r.values, Start: r.start, Time: c.time, Value: total, Stale: end,
		})
	}
}
