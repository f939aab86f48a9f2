// SPDX-License-Identifier: Apache-2.0

// Package usage finds the attributes of metrics that no dashboard, rule or autoscaler needs, and writes settings of the
// cardinality processor that merge their series without changing the result of a query.
//
// readers.go collects what reads metrics, analysis.go decides by internal/promql whether a query's result stays,
// series.go takes the series of a report, and output.go writes the settings.
package usage

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Usage is who reads which metrics, and what of them.
type Usage struct {
	Metrics []*Metric `json:"metrics"`
	// Unread are metrics that exist and that nothing reads, most series first.
	Unread []Unread `json:"unread,omitempty"`
	// Undecided are readers that are known in part. What they may read is needed.
	Undecided []Undecided `json:"undecided,omitempty"`
	// Unreadable is the number of files, and documents in files, that cannot be read. What they read is not known.
	Unreadable int `json:"unreadable,omitempty"`
	// Live reports whether it is known which series there are.
	Live bool `json:"live"`
}

// Unread is a metric that nothing reads.
type Unread struct {
	Name   string `json:"metric"`
	Series int    `json:"series"`
	bounds bool   // it has buckets
}

// Analyse decides all metrics that are read. Without series it is not known which metrics there are.
func Analyse(r *Readings, series []*Known) *Usage {
	u := &Usage{Metrics: []*Metric{}, Unreadable: len(r.faults), Live: series != nil}
	a := &analysis{r, map[remaining]string{}}
	decided := map[string]bool{}
	for _, k := range series {
		m := &Metric{Name: k.Name, Samples: k.Samples, native: strings.HasPrefix(k.Type, "exponential_")}
		m.Type, m.Guessed = a.typeOf(k.Type, k.Name, k.Samples)
		for _, name := range k.Samples {
			decided[name] = true
		}
		a.metric(m, k.Keys)
		if len(m.Readers) == 0 {
			if k.Undescribed || k.Name == "up" || strings.HasPrefix(k.Name, "scrape_") {
				continue // read by an unknown name, or of the scraper itself
			}
			u.Unread = append(u.Unread, Unread{k.Name, k.Now, m.Type == Histogram && !m.native})
			continue
		}
		m.Series = k.count(m.Free())
		u.Metrics = append(u.Metrics, m)
	}
	bases := map[string][]string{}
	for _, name := range r.Names() {
		if !decided[name] && !strings.HasPrefix(name, "ALERTS") {
			base := r.base(name)
			bases[base] = append(bases[base], name)
		}
	}
	for _, base := range slices.Sorted(maps.Keys(bases)) {
		m := &Metric{Name: base, Samples: bases[base]}
		m.Type, m.Guessed = a.typeOf("", base, m.Samples)
		a.metric(m, nil)
		u.Metrics = append(u.Metrics, m)
	}
	for _, t := range r.touches {
		named := !t.text || slices.ContainsFunc(u.Metrics, func(m *Metric) bool { return slices.ContainsFunc(m.Samples, t.names) })
		if named && !slices.Contains(u.Undecided, t.Undecided) {
			u.Undecided = append(u.Undecided, t.Undecided)
		}
	}
	slices.SortStableFunc(u.Unread, func(a, b Unread) int { return b.Series - a.Series })
	slices.SortStableFunc(u.Metrics, func(a, b *Metric) int {
		return cmp.Or(b.Saved()-a.Saved(), cmp.Compare(a.Name, b.Name))
	})
	return u
}

// Saved returns how many series fewer there are after merging.
func (m *Metric) Saved() int {
	if m.Series == nil {
		return 0
	}
	return m.Series.Now - m.Series.After
}

// Free returns the labels that are free.
func (m *Metric) Free() map[string]bool {
	all := map[string]bool{}
	for _, attribute := range m.Attributes {
		if attribute.Free {
			all[attribute.Label] = true
		}
	}
	return all
}

// base returns the metric of a sample's name whose type is unknown: the buckets of a histogram show it.
func (r *Readings) base(sample string) string {
	if base, ok := strings.CutSuffix(sample, "_bucket"); ok {
		return base
	}
	for _, suffix := range []string{"_count", "_sum"} {
		if base, ok := strings.CutSuffix(sample, suffix); ok && r.uses[base+"_bucket"] != nil {
			return base
		}
	}
	return sample
}

// typeOf returns the type of a metric. A guess goes by its name and by the functions around it.
func (a *analysis) typeOf(stated, name string, samples []string) (t Type, guessed bool) {
	switch stated = strings.TrimPrefix(stated, "exponential_"); Type(stated) {
	case Gauge:
		if strings.HasSuffix(name, "_info") || strings.HasSuffix(name, ".info") {
			return Info, false
		}
		return Gauge, false
	case Counter, Histogram, UpDownCounter, Summary, Info:
		return Type(stated), false
	}
	for _, sample := range samples {
		if strings.HasSuffix(sample, "_bucket") && a.uses[sample] != nil {
			return Histogram, true
		}
		for _, use := range a.uses[sample] {
			call, ranged := use.selector.Function()
			if ranged && call != nil && slices.Contains([]string{"rate", "irate", "increase"}, call.Func.Name) {
				return Counter, true
			}
		}
	}
	switch {
	case strings.HasSuffix(name, "_info"):
		return Info, true
	case strings.HasSuffix(name, "_total"):
		return Counter, true
	}
	return Gauge, true
}
