// SPDX-License-Identifier: Apache-2.0

package page

import "time"

// deltaRetention is how long the sum of delta points is kept after its series expired. A sum
// that restarts at 0 could reach its old value again, and Prometheus would see no increase.
const deltaRetention = time.Hour

// Expire removes the series without a sample during the expiration, and returns their number.
func (p *Page) Expire(now time.Time) (expired int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.families {
		for _, s := range f.series {
			age := now.Sub(s.updated)
			switch {
			case age <= p.expiration:
			case s.at != hidden:
				expired++
				if s.stream.IsDelta() {
					p.hide(s)
				} else {
					p.remove(s)
				}
			case age > p.expiration+deltaRetention:
				p.remove(s)
			}
		}
	}
	return expired
}
