package conformanceconnector

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Report is the last one that was made.
func (s *state) Report() *Report { return s.last.Load() }

// report takes what was found since the last one. Findings are taken only if they go
// somewhere.
func (s *state) report(now time.Time, takeFindings bool) *Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing(now)
	r := s.newReport(now)
	r.Metrics = s.reportMetrics(now)
	r.Services = s.reportServices(r.Metrics)
	r.Findings = s.reportFindings(takeFindings)
	r.Counts = s.reportCounts()
	for _, e := range s.expect {
		r.Expectations = append(r.Expectations, e.report())
	}
	r.Components, r.Ways = s.graph.report()
	r.LogSources = s.sources.report()
	for pair, skew := range s.skews.take() {
		offset, uncertain, bounded := skew.offset()
		r.Skews = append(r.Skews, Skew{pair.client.name, pair.server.name, offset, uncertain, bounded, skew.calls})
	}
	slices.SortFunc(r.Skews, func(a, b Skew) int {
		return cmp.Or(strings.Compare(a.Client, b.Client), strings.Compare(a.Server, b.Server))
	})
	for name, total := range s.links.all() {
		r.Links = append(r.Links, Link{name, total})
	}
	slices.SortFunc(r.Links, func(a, b Link) int { return strings.Compare(a.Rule, b.Rule) })
	for l := range limits {
		r.Limits = append(r.Limits, Limit{limitTexts[l], s.refused[l].Load()})
	}
	s.forget(now, takeFindings)
	s.last.Store(r)
	return r
}

// newReport says nothing yet. Its lists are empty, which JSON tells from null.
func (s *state) newReport(now time.Time) *Report {
	return &Report{
		At: now, Since: s.since, Interval: s.config.Interval, OneIn: 1 << s.window.sampling.Load().halvings,
		Services: []Service{}, Metrics: []Metric{}, Findings: []Finding{}, Counts: []Count{}, Expectations: []Expectation{},
		Components: []Component{}, Ways: []Way{}, Skews: []Skew{}, LogSources: []LogSource{}, Links: []Link{}, Limits: []Limit{},
	}
}

// nearBudget is how much of a limit is worth a word.
const nearBudget = 0.8

func (s *state) reportMetrics(now time.Time) (all []Metric) {
	all = []Metric{}
	s.series.all(func(row *series) {
		m := row.report(now, s.config.Limit)
		all = append(all, m)
		key := rowKey{rule: ruleNearBudget, kind: kindMetric, service: row.service, original: row.name}
		switch {
		case m.Series > m.Limit:
			key.rule = ruleOverBudget
		case float64(m.Series) <= nearBudget*float64(m.Limit):
			return
		}
		found := s.findings.row(key)
		found.count.Add(1)
		if found.service != nil { // not the rest of a full table
			found.paste = pasteLimit(row.name, m.Series)
		}
	})
	slices.SortFunc(all, func(a, b Metric) int {
		return cmp.Or(b.Series-a.Series, strings.Compare(a.Service, b.Service), strings.Compare(a.Name, b.Name))
	})
	return all
}

func (s *state) reportServices(metrics []Metric) (all []Service) {
	all = []Service{}
	at := map[string]int{}
	for _, svc := range s.services.all() {
		r := Service{
			Name: svc.name, Since: svc.since, Spans: svc.spans.Load(),
			Roots: svc.roots.Load(), Late: svc.late.Load(), Unjudged: svc.unjudged.Load(),
		}
		for k := range kinds {
			total := svc.items[k].load()
			if total.checked == 0 {
				continue
			}
			share := -1.0
			if checked := total.checked - svc.reported[k].checked; checked > 0 {
				share = float64(total.conformant-svc.reported[k].conformant) / float64(checked)
			}
			svc.reported[k] = total
			r.Scores = append(r.Scores, Score{kindTexts[k].signal, total.checked, total.conformant, svc.renamed[k].Load(), share})
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Service) int { return strings.Compare(a.Name, b.Name) })
	for i := range all {
		at[all[i].Name] = i
	}
	for _, m := range metrics {
		i, ok := at[m.Service]
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

// reportFindings adds up the rows, and takes them if they go somewhere.
func (s *state) reportFindings(take bool) (all []Finding) {
	all = []Finding{}
	s.findings.each(func(r *row) {
		n := r.count.Swap(0)
		r.idle++
		if n > 0 {
			r.total += n
			r.idle = 0
			s.counts[r.countKey()] += n
		}
		if r.total == 0 {
			return
		}
		f := Finding{
			Rule: r.rule.id, Level: r.rule.level, Reason: r.rule.reason, Signal: kindTexts[r.kind].signal,
			Service: r.countKey().Service, System: r.system, Original: r.shown, Suggestion: r.suggestion, Paste: r.paste,
			Total: r.total, Since: r.since, row: r,
		}
		if r.by != nil {
			f.Naming, f.Reason = r.by.id, r.by.reason
		}
		if unsent := r.unsent.Add(n); take {
			f.Count = unsent
			r.unsent.Add(-unsent)
			if unsent > 0 {
				r.idle = min(r.idle, maxIdle-1) // it may come again
			}
		}
		if example := r.example.Load(); example != nil {
			f.example, f.TraceID = *example, example.String()
			if f.Count > 0 {
				r.example.Store(nil) // the next record has another
			}
		}
		all = append(all, f)
	})
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(severity(b.Level)-severity(a.Level), cmp.Compare(b.Count, a.Count), cmp.Compare(b.Total, a.Total),
			strings.Compare(a.Service, b.Service), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Original, b.Original))
	})
	return all
}

func severity(level string) int {
	return slices.Index([]string{levelInformation, levelImprovement, levelViolation}, level)
}

func (r *row) countKey() countKey {
	key := countKey{System: r.system, Signal: kindTexts[r.kind].signal, Rule: r.rule.id}
	switch {
	case r.service != nil:
		key.Service = r.service.name
	case r.system == "": // the rest of a full table
		key.Service = otherService
	}
	return key
}

func (s *state) reportCounts() (all []Count) {
	all = []Count{}
	since := map[string]time.Time{}
	for _, svc := range s.services.all() {
		since[svc.name] = svc.since
	}
	for key, total := range s.counts {
		began, ok := since[key.Service]
		if !ok {
			began = s.since
		}
		all = append(all, Count{key, total, began})
	}
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Signal, b.Signal),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.System, b.System))
	})
	return all
}

func (e *expectation) report() Expectation {
	r := Expectation{System: e.system, SeenSince: timeOf(e.since.Load())}
	for _, m := range e.metrics {
		r.Metrics = append(r.Metrics, Expected{m.text, timeOf(m.last.Load())})
	}
	for _, c := range e.components {
		r.Components = append(r.Components, Expected{c.text, timeOf(c.last.Load())})
	}
	for _, edge := range e.edges {
		r.Edges = append(r.Edges, Edge{
			Expected{edge.text, timeOf(edge.last.Load())}, edge.From, edge.To, edge.traces.Load(), edge.reached.Load(),
		})
	}
	return r
}

func timeOf(nanoseconds int64) time.Time {
	if nanoseconds == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds).UTC()
}

// again has findings that did not arrive be in the next report that goes somewhere.
func (s *state) again(findings []Finding) {
	for i := range findings {
		f := &findings[i]
		f.row.unsent.Add(f.Count)
		if f.Count > 0 && !f.example.IsEmpty() {
			f.row.example.CompareAndSwap(nil, &f.example)
		}
	}
}

// forget forgets what was not seen for long. What is remembered of it goes too, since
// nobody may count for it any more. What could not be sent yet is not forgotten.
func (s *state) forget(now time.Time, sends bool) {
	gone := s.services.forget(now.Add(-forgetAfter))
	changed := len(gone) > 0
	changed = s.series.forget(now.Add(-forgetAfter)) || changed
	changed = s.graph.forget(now.Add(-forgetAfter)) || changed
	s.sources.forget(now.Add(-forgetAfter))
	changed = s.findings.forget(func(r *row) bool {
		return gone[r.service] || r.idle >= maxIdle && (!sends || r.unsent.Load() == 0)
	}) || changed
	if !changed {
		return
	}
	names := map[string]bool{}
	for svc := range gone {
		names[svc.name] = true
	}
	for key := range s.counts {
		if key.Service != "" && names[key.Service] {
			delete(s.counts, key)
		}
	}
	s.verdicts = newVerdicts()
	s.generation++
}
