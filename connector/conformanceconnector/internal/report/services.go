// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// ServiceCounts holds the counts of one service. Counts only grow.
type ServiceCounts struct {
	Name     string
	Spans    atomic.Int64 // judged with their traces
	Roots    atomic.Int64
	Late     atomic.Int64 // arrived after their traces were judged
	Unjudged atomic.Int64 // of traces that were not judged

	since  time.Time
	seen   moment
	sent   steady
	traces atomic.Bool // a span came, or a record with a trace
	logged atomic.Bool // a record with a trace came
	gone   bool
	items  [Owners][Kinds]itemCounts
	// repaired are the kinds of items whose names are repaired though no pack owns them.
	repaired [Kinds]bool
}

type itemCounts struct {
	checked, conformant, renamed, outside atomic.Int64
	reported                              Tally // at the last report
}

// Tally counts judged items, the conformant ones of them, and the log records that cannot have a trace.
type Tally struct{ Checked, Conformant, Outside int64 }

// Tallies counts the items of a scope, by owner and kind.
type Tallies [Owners][Kinds]Tally

// Renamed counts a conformant item whose name an earlier component made conformant.
func (s *ServiceCounts) Renamed(o Owner, k Kind) { s.items[o][k].renamed.Add(1) }

// Service returns the counts of a service. Callers that keep them must drop them when Builder.Forget
// reports a change.
func (b *Builder) Service(name string, now time.Time) *ServiceCounts {
	named := name
	name = conformance.ServiceName(name)
	if name == Other {
		return b.other
	}
	svc := b.services.of(name, func() (string, *ServiceCounts) {
		svc := &ServiceCounts{Name: strings.Clone(name), since: now, repaired: b.settings.repaired(named)}
		svc.seen.set(now)
		return svc.Name, svc
	})
	if svc == nil {
		return b.other
	}
	return svc
}

// Seen records that a service sends.
func (s *ServiceCounts) Seen(now time.Time) { s.seen.set(now) }

// Traced records that a span of the service came, or a record with a trace.
func (s *ServiceCounts) Traced(k Kind) {
	set(&s.traces)
	if k == KindLog {
		set(&s.logged)
	}
}

// set sets a flag. Cores that write to the same address slow each other down.
func set(b *atomic.Bool) {
	if !b.Load() {
		b.Store(true)
	}
}

// Outside reports whether a record without a trace cannot have one: no trace of its service came before, or
// records of its other loggers have traces and its own never had. isFile is for lines of text files, which
// share no logger; traced is for a source that had a record with a trace.
func (s *ServiceCounts) Outside(isFile, traced bool) bool {
	return !s.traces.Load() || !isFile && s.logged.Load() && !traced
}

// Count counts items of a service.
func (b *Builder) Count(svc *ServiceCounts, items *Tallies) {
	for o := range items {
		for k, n := range &items[o] {
			if n.Checked == 0 {
				continue
			}
			to := &svc.items[o][k]
			to.checked.Add(n.Checked)
			to.conformant.Add(n.Conformant)
			to.outside.Add(n.Outside)
			if svc == b.other {
				b.Refuse(LimitServices, n.Checked)
			}
		}
	}
}

// allServices returns the services, and other if it was used.
func (b *Builder) allServices() []*ServiceCounts {
	all := b.services.all()
	if !b.other.seen.never() {
		all = append(all, b.other)
	}
	return all
}

func (b *Builder) reportServices(costs metricCosts) []conformance.Service {
	all := []conformance.Service{}
	for _, svc := range b.allServices() {
		s := svc.report()
		s.Audit = b.settings.Audit != nil && b.settings.Audit(s.Name)
		adopt(&s)
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b conformance.Service) int { return strings.Compare(a.Name, b.Name) })
	for name, c := range costs {
		i, ok := slices.BinarySearchFunc(all, name.service, func(s conformance.Service, name string) int { return cmp.Compare(s.Name, name) })
		if !ok || c.Limit == 0 {
			continue
		}
		s, used := &all[i], c.Out.Series
		s.Series += c.Out.Series
		if refused := c.Refused(); refused > 0 {
			s.OverBudget++
			used = c.Limit + refused
		} else {
			used = min(used, c.Limit) // several resources can have more than the limit of one
		}
		s.BudgetUsed = max(s.BudgetUsed, float64(used)/float64(c.Limit))
	}
	return all
}

func (s *ServiceCounts) report() conformance.Service {
	r := conformance.Service{
		Name: s.Name, Since: s.since, Last: s.seen.time(), Silent: s.sent.silent,
		Spans: s.Spans.Load(), Roots: s.Roots.Load(), Late: s.Late.Load(), Unjudged: s.Unjudged.Load(),
		Scores: []conformance.Score{}, Unowned: true,
	}
	for k := range Kinds {
		owned, lately := s.items[Owned][k].report()
		unowned, unownedLately := s.items[Unowned][k].report()
		if owned.Checked+unowned.Checked == 0 {
			continue
		}
		r.Unowned = r.Unowned && owned.Checked == 0
		all := sum(owned, unowned)
		all.Share = Tally{
			lately.Checked + unownedLately.Checked, lately.Conformant + unownedLately.Conformant, lately.Outside + unownedLately.Outside,
		}.share()
		r.Scores = append(r.Scores, conformance.Score{Signal: k.Signal(), Owned: owned, Unowned: unowned, Part: all})
	}
	r.Headline = headline(r.Scores, func(s *conformance.Score) conformance.Part {
		if r.Unowned {
			return s.Unowned
		}
		return s.Owned
	})
	return r
}

// report returns the counts, and those since the last report.
func (i *itemCounts) report() (p conformance.Part, lately Tally) {
	total := Tally{i.checked.Load(), i.conformant.Load(), i.outside.Load()}
	lately = Tally{total.Checked - i.reported.Checked, total.Conformant - i.reported.Conformant, total.Outside - i.reported.Outside}
	i.reported = total
	return conformance.Part{
		Checked: total.Checked, Conformant: total.Conformant, Renamed: i.renamed.Load(), Outside: total.Outside, Share: lately.share(),
	}, lately
}

// share returns the conformant share, or -1 without items.
func (t Tally) share() float64 {
	return conformance.Part{Checked: t.Checked, Conformant: t.Conformant, Outside: t.Outside}.Whole()
}

// sum adds up counts. It has no share of the last interval.
func sum(a, b conformance.Part) conformance.Part {
	return conformance.Part{
		Checked: a.Checked + b.Checked, Conformant: a.Conformant + b.Conformant, Renamed: a.Renamed + b.Renamed, Outside: a.Outside + b.Outside,
		Share: -1,
	}
}

// headline returns the score of the worst signal. Attributes alone have none: each resource has some, also
// if nothing of its service came.
func headline(scores []conformance.Score, part func(*conformance.Score) conformance.Part) conformance.Headline {
	worst, only := conformance.Headline{Share: -1}, true
	for i := range scores {
		share := part(&scores[i]).Whole()
		if share < 0 {
			continue
		}
		only = only && scores[i].Signal == KindAttribute.Signal()
		if worst.Share < 0 || share < worst.Share {
			worst = conformance.Headline{Signal: scores[i].Signal, Share: share}
		}
	}
	if only {
		return conformance.Headline{Share: -1}
	}
	return worst
}

// headlineOf returns the score of the worst signal over all services, of the items that packs own.
func headlineOf(services []conformance.Service) conformance.Headline {
	all := make([]conformance.Score, Kinds)
	for k := range Kinds {
		all[k].Signal = k.Signal()
		for i := range services {
			for _, s := range services[i].Scores {
				if s.Signal == all[k].Signal {
					all[k].Owned = sum(all[k].Owned, s.Owned)
				}
			}
		}
	}
	return headline(all, func(s *conformance.Score) conformance.Part { return s.Owned })
}
