package page

import "time"

// remembered is how long the sum of delta points is kept after it is no longer shown: one that
// began anew at 0 could have the value it had before, and nobody would see it grow.
const remembered = time.Hour

// Expire removes series that had no sample for the expiration, and returns how many.
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
			case age > p.expiration+remembered:
				p.remove(s)
			}
		}
	}
	return expired
}
