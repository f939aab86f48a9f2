package report

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// unknownService is the name for resources without service.name.
const unknownService = "unknown"

// ServiceCounts holds the counts of one service. Counts only grow.
type ServiceCounts struct {
	Name     string
	Renamed  [Kinds]atomic.Int64 // of the conformant items
	Spans    atomic.Int64        // judged with their traces
	Roots    atomic.Int64
	Late     atomic.Int64 // arrived after their traces were judged
	Unjudged atomic.Int64 // of traces that were not judged

	since    time.Time
	seen     moment
	gone     bool
	checked  [Kinds]atomic.Int64
	right    [Kinds]atomic.Int64
	reported [Kinds]Tally // at the last report
}

// Tally counts judged items, and the conformant ones of them.
type Tally struct{ Checked, Conformant int64 }

// Service returns the counts of a service. Callers that keep them must drop them when Builder.Forget
// reports a change.
func (b *Builder) Service(name string, now time.Time) *ServiceCounts {
	if name == "" {
		name = unknownService
	}
	name = Kept(name)
	if name == Other {
		return b.other
	}
	svc := b.services.of(name, func() (string, *ServiceCounts) {
		svc := &ServiceCounts{Name: strings.Clone(name), since: now}
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

// Count counts items of a service.
func (b *Builder) Count(svc *ServiceCounts, items *[Kinds]Tally) {
	for k, n := range items {
		if n.Checked == 0 {
			continue
		}
		svc.checked[k].Add(n.Checked)
		svc.right[k].Add(n.Conformant)
		if svc == b.other {
			b.Refuse(LimitServices, n.Checked)
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

func (b *Builder) reportServices(metrics []Metric) []Service {
	all := []Service{}
	for _, svc := range b.allServices() {
		all = append(all, svc.report())
	}
	slices.SortFunc(all, func(a, b Service) int { return strings.Compare(a.Name, b.Name) })
	for _, m := range metrics {
		i, ok := slices.BinarySearchFunc(all, m.Service, func(s Service, name string) int { return cmp.Compare(s.Name, name) })
		if !ok {
			continue
		}
		r := &all[i]
		r.Series += m.Series
		if m.Series > m.Limit {
			r.OverBudget++
		}
		r.BudgetUsed = max(r.BudgetUsed, float64(m.Series)/float64(m.Limit))
	}
	return all
}

func (s *ServiceCounts) report() Service {
	r := Service{
		Name: s.Name, Since: s.since, Spans: s.Spans.Load(), Roots: s.Roots.Load(), Late: s.Late.Load(), Unjudged: s.Unjudged.Load(),
	}
	for k := range Kinds {
		total := Tally{s.checked[k].Load(), s.right[k].Load()}
		if total.Checked == 0 {
			continue
		}
		share := -1.0
		if checked := total.Checked - s.reported[k].Checked; checked > 0 {
			share = float64(total.Conformant-s.reported[k].Conformant) / float64(checked)
		}
		s.reported[k] = total
		r.Scores = append(r.Scores, Score{k.Signal(), total.Checked, total.Conformant, s.Renamed[k].Load(), share})
	}
	return r
}
