// SPDX-License-Identifier: Apache-2.0

package diskqueue

import "errors"

// contents is what a scan of a segment found.
type contents struct {
	records int
	items   int
	first   int64 // time of the first record
	end     int64 // end of the last record
	damaged int64 // bytes between records that are none
	err     error // first read error: there may be more records
}

// scan reads the headers from an offset on, and checks the payloads if told to.
func (r *reader) scan(from int64, payloads bool) contents {
	c := contents{end: from}
	for at := from; at < r.end; {
		h, err := r.header(at)
		if err == nil && payloads {
			err = r.verify(at, h)
		}
		if err != nil {
			next, searching := r.behind(at)
			for _, err := range []error{err, searching} {
				if c.err == nil && err != nil && !errors.Is(err, errDamaged) {
					c.err = err
				}
			}
			at = next
			continue
		}
		if c.records == 0 {
			c.first = h.time
		}
		c.records++
		c.items += int(h.items)
		c.damaged += at - c.end
		at += h.size()
		c.end = at
	}
	return c
}
