// SPDX-License-Identifier: Apache-2.0

package report

import "time"

const (
	// silentAfter is the time after which a source that sends nothing is silent.
	silentAfter = 10 * time.Minute
	// steadyReports is the number of reports before which a source must have sent, to be missed later. One
	// that sends once is a job that ends.
	steadyReports = 3
)

// steady tells a source that has stopped from one that sent only once.
type steady struct {
	reports int // before which it sent something
	silent  bool
}

// look is called once a report, with the last report's time.
func (s *steady) look(seen *moment, last, now time.Time) {
	if seen.after(last) {
		s.reports++
	}
	s.silent = s.reports >= steadyReports && !seen.after(now.Add(-silentAfter)) && seen.after(now.Add(-ForgetAfter))
}

// silence adds findings for sources that have stopped: services, and systems of packs, which can be a part
// of a service.
func (b *Builder) silence(now time.Time) {
	for _, svc := range b.services.all() {
		if svc.sent.look(&svc.seen, b.last, now); svc.sent.silent {
			b.Finding(Key{Rule: RuleSourceSilent, Kind: svc.mainKind(), Service: svc, Original: svc.Name}).count.Add(1)
		}
	}
	for _, p := range b.Packs {
		if p.sent.look(&p.seen, b.last, now); p.sent.silent {
			b.Finding(Key{Rule: RuleSourceSilent, Kind: KindMetric, System: p.System, Original: p.System}).count.Add(1)
		}
	}
}

// mainKind returns the first kind of items that a service sent.
func (s *ServiceCounts) mainKind() Kind {
	for k := range KindAttribute {
		if s.items[Owned][k].checked.Load()+s.items[Unowned][k].checked.Load() > 0 {
			return k
		}
	}
	return KindMetric
}
