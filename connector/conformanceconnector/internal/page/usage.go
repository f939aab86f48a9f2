// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/readers"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/usage"
)

// maxReaders is how many readers of a metric, and of those that are not decided, the page gets.
const maxReaders = 20

// Reading returns what reads metrics, which is nil until it is read, and its status.
type Reading func() (*usage.Readings, readers.Status)

// usageAnswer is who reads which metric. It is null without files of readers.
type usageAnswer struct {
	readers.Status
	// Fault is why there are no metrics.
	Fault string `json:"fault,omitempty"`
	// Metrics are those that exist, most saved series first.
	Metrics []metricUsage `json:"metrics"`
	// Absent is the number of metrics that are read and do not come here.
	Absent    int               `json:"absent,omitempty"`
	Undecided []usage.Undecided `json:"undecided"`
	// NotShown is the number of those that are not decided and not listed.
	NotShown int    `json:"not_shown,omitempty"`
	YAML     string `json:"yaml"`
}

// metricUsage is who reads a metric.
type metricUsage struct {
	usage.Metric
	Readers  []reader `json:"readers"`
	NotShown int      `json:"not_shown,omitempty"` // readers
}

// reader is a reader of a metric, without its query.
type reader struct {
	Kind  string `json:"kind"`
	Place string `json:"place"`
}

// usages decides anew when there is another report, or when files were read again.
type usages struct {
	last func() *report.Report
	read Reading // nil: no files

	mu      sync.Mutex
	decided *usage.Usage // guarded by mu, like the others
	by      *usage.Readings
	of      *report.Report
	fault   string
}

// decide returns the verdicts for the last report. They are nil without files, and until these are read.
func (u *usages) decide() (decided *usage.Usage, fault string, status readers.Status) {
	readings, status := u.read()
	u.mu.Lock()
	defer u.mu.Unlock()
	last := u.last()
	if readings != nil && (u.by != readings || u.of != last) {
		u.by, u.of, u.fault = readings, last, ""
		series, err := usage.FromReport(&last.Report)
		if err != nil {
			u.fault = err.Error()
		}
		u.decided = usage.Analyse(readings, series)
	}
	return u.decided, u.fault, status
}

// serve answers with JSON.
func (u *usages) serve(w http.ResponseWriter, _ *http.Request) {
	if u.read == nil {
		writeJSON(w, nil)
		return
	}
	decided, fault, status := u.decide()
	answer := usageAnswer{Status: status, Fault: fault, Metrics: []metricUsage{}, Undecided: []usage.Undecided{}}
	if decided != nil {
		answer.add(decided)
	}
	writeJSON(w, answer)
}

// serveYAML answers with the settings that the command usage writes.
func (u *usages) serveYAML(w http.ResponseWriter, r *http.Request) {
	var decided *usage.Usage
	if u.read != nil {
		decided, _, _ = u.decide()
	}
	if decided == nil {
		http.Error(w, "no readers: conformance has no files of usage, or they are not read yet", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	decided.WriteYAML(w, cmp.Or(r.FormValue("processor"), "cardinality"))
}

// add adds verdicts.
func (a *usageAnswer) add(u *usage.Usage) {
	for _, m := range u.Metrics {
		if m.Series == nil {
			a.Absent++
			continue
		}
		row := metricUsage{Metric: *m, Readers: []reader{}}
		seen := map[*usage.Reader]bool{}
		for _, reading := range m.Readers {
			switch {
			case seen[reading.Reader]:
			case len(row.Readers) == maxReaders:
				row.NotShown++
			default:
				row.Readers = append(row.Readers, reader{reading.Kind, reading.Place()})
			}
			seen[reading.Reader] = true
		}
		a.Metrics = append(a.Metrics, row)
	}
	for _, m := range u.Unread {
		a.Metrics = append(a.Metrics, metricUsage{
			Metric:  usage.Metric{Name: m.Name, Attributes: []usage.Attribute{}, Series: &usage.Count{Now: m.Series, After: min(1, m.Series)}},
			Readers: []reader{},
		})
	}
	slices.SortStableFunc(a.Metrics, func(one, other metricUsage) int { return other.Saved() - one.Saved() })
	shown := min(len(u.Undecided), maxReaders)
	a.Undecided, a.NotShown = append(a.Undecided, u.Undecided[:shown]...), len(u.Undecided)-shown
	var yaml strings.Builder
	u.WriteYAML(&yaml, "cardinality")
	a.YAML = yaml.String()
}
