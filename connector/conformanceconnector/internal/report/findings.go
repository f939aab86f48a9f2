// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// MaxIdle is the number of reports after which a finding that does not recur is removed.
const MaxIdle = 10

// Key identifies a finding.
type Key struct {
	Rule                 *Rule
	Kind                 Kind
	Service              *ServiceCounts // nil for what a system lacks
	System               string
	Original, Suggestion string // the suggestion is a conformant name, or advice in words
	passes               bool   // no pack owns the name, so it stays
}

// isPassing reports whether the finding is about a name that passes, because no pack owns it.
func (k *Key) isPassing() bool {
	return k.Rule.ofName() && k.Rule != RuleRenamed && k.System == noSystem && k.Service != nil && !k.Service.repaired[k.Kind]
}

// Row is one distinct finding. Its counts are safe for concurrent use.
type Row struct {
	Key
	Shown   string // the original, or the first of several
	Paste   string // YAML to paste into a pack or configuration, or empty
	By      *Rule  // the naming rule that an earlier component applied to the name
	advice  string // in words, in place of the key's suggestion: it changes with what is known
	since   time.Time
	count   atomic.Int64 // since the last report
	unsent  atomic.Int64 // since the last report sent to logs
	example atomic.Pointer[pcommon.TraceID]
	limit   *atomic.Int64 // counter of the limit for a shared row, else nil
	total   int64
	idle    int // reports since the finding last occurred
}

// Finding returns the row of a key, or its rule's shared row if the table is full.
func (b *Builder) Finding(key Key) *Row { return b.FindingOf(key, nil) }

// FindingOf is Finding for a key whose row has more to show. describe sets that in a new row, which has the key,
// and its original as Shown.
func (b *Builder) FindingOf(key Key, describe func(*Row)) *Row {
	key.Original, key.Suggestion, key.passes = conformance.Kept(key.Original), conformance.Kept(key.Suggestion), key.isPassing()
	to := b.findings
	if key.passes {
		to = b.passing
	}
	row := to.of(key, func() (Key, *Row) {
		key.Original, key.Suggestion = strings.Clone(key.Original), strings.Clone(key.Suggestion)
		row := &Row{Key: key, Shown: key.Original, since: time.Now()}
		if describe != nil {
			describe(row)
			row.Shown = strings.Clone(conformance.Kept(row.Shown))
		}
		return key, row
	})
	if row != nil {
		return row
	}
	return b.restOf(key.Rule, key.Kind, key.passes)
}

// restOf returns the shared row for findings beyond the limit.
func (b *Builder) restOf(r *Rule, k Kind, passes bool) *Row {
	rest := Key{Rule: r, Kind: k, Original: Other, passes: passes}
	return b.rest.of(rest, func() (Key, *Row) {
		return rest, &Row{Key: rest, Shown: Other, since: time.Now(), limit: &b.refused[LimitFindings]}
	})
}

// Found counts a finding n times. The trace is its example and may be empty.
func (r *Row) Found(n int64, trace pcommon.TraceID) {
	r.Exemplify(trace)
	r.count.Add(n)
	if r.limit != nil {
		r.limit.Add(n)
	}
}

// Exemplify offers an example trace, which may be empty.
func (r *Row) Exemplify(trace pcommon.TraceID) {
	if r.example.Load() == nil && !trace.IsEmpty() {
		example := trace // copied here, so that the parameter does not escape to the heap
		r.example.Store(&example)
	}
}

// reportFindings returns the findings and their rows. If take is true, it takes the counts not sent yet.
func (b *Builder) reportFindings(take bool) ([]conformance.Finding, []*Row) {
	type found struct {
		conformance.Finding
		row *Row
	}
	var all []found
	for _, r := range slices.Concat(b.findings.all(), b.passing.all(), b.rest.all()) {
		n := r.count.Swap(0)
		r.idle++
		if n > 0 {
			r.total += n
			r.idle = 0
			b.counts[r.countKey()] += n
		}
		if r.total > 0 {
			all = append(all, found{r.report(n, take), r})
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(severity(b.Level)-severity(a.Level), cmp.Compare(b.Count, a.Count), cmp.Compare(b.Total, a.Total),
			strings.Compare(a.Service, b.Service), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Original, b.Original))
	})
	findings, rows := make([]conformance.Finding, len(all)), make([]*Row, len(all))
	for i := range all {
		findings[i], rows[i] = all[i].Finding, all[i].row
	}
	return findings, rows
}

func (r *Row) report(n int64, take bool) conformance.Finding {
	advice := r.adviceOf()
	f := conformance.Finding{
		Rule: r.Rule.ID, Level: r.Rule.Level, Reason: r.Rule.Reason, Signal: r.Kind.Signal(),
		Service: r.countKey().Service, System: r.System, Original: r.Shown, Suggestion: cmp.Or(r.advice, r.Suggestion),
		Action: advice.Action, Code: advice.Code, Docs: docsURL + advice.Docs, Paste: cmp.Or(r.Paste, advice.YAML),
		Total: r.total, Since: r.since, Name: r.Rule.ofName(),
	}
	if f.Unowned = r.passes; f.Unowned {
		f.Level = conformance.LevelInformation
	}
	if r.By != nil {
		f.Naming, f.Reason = r.By.ID, r.By.Reason
	}
	if unsent := r.unsent.Add(n); take {
		f.Count = unsent
		r.unsent.Add(-unsent)
		if unsent > 0 {
			r.idle = min(r.idle, MaxIdle-1) // it may have to be sent again
		}
	}
	if example := r.example.Load(); example != nil {
		f.TraceID = example.String()
		if f.Count > 0 {
			r.example.Store(nil) // the next record gets another example
		}
	}
	return f
}

func severity(level string) int {
	return slices.Index([]string{conformance.LevelInformation, conformance.LevelImprovement, conformance.LevelViolation}, level)
}

func (r *Row) countKey() conformance.CountKey {
	key := conformance.CountKey{System: r.System, Signal: r.Kind.Signal(), Rule: r.Rule.ID, Unowned: r.passes}
	switch {
	case r.Service != nil:
		key.Service = r.Service.Name
	case r.System == "": // the shared row of a full table
		key.Service = Other
	}
	return key
}

func (b *Builder) reportCounts() []conformance.Count {
	all := []conformance.Count{}
	since := map[string]time.Time{}
	for _, svc := range b.allServices() {
		since[svc.Name] = svc.since
	}
	for key, total := range b.counts {
		began, ok := since[key.Service]
		if !ok {
			began = b.since
		}
		all = append(all, conformance.Count{CountKey: key, Total: total, Since: began})
	}
	slices.SortFunc(all, func(a, b conformance.Count) int {
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Signal, b.Signal),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.System, b.System))
	})
	return all
}

// Requeue adds the findings of a report that was not delivered to the next report that takes findings.
func (b *Builder) Requeue(r *Report) {
	for i := range r.Findings {
		f, row := &r.Findings[i], r.Rows[i]
		row.unsent.Add(f.Count)
		if example := TraceID(f); f.Count > 0 && !example.IsEmpty() {
			row.example.CompareAndSwap(nil, &example)
		}
	}
}

// TraceID returns the trace id of a finding's example, which may be empty.
func TraceID(f *conformance.Finding) (id pcommon.TraceID) {
	if _, err := hex.Decode(id[:], []byte(f.TraceID)); err != nil || len(f.TraceID) != hex.EncodedLen(len(id)) {
		return pcommon.TraceID{}
	}
	return id
}
