// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/coherence"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/verdict"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// state holds the results for all telemetry. It is safe for concurrent use.
type state struct {
	// mu is read-locked while a batch is processed, and locked while a report is made. A report thus sees
	// complete batches, and can remove unused rows.
	mu       sync.RWMutex
	results  *report.Builder
	traces   *coherence.Traces
	*judging // by the current policy
	// judgingOf returns how a batch is judged.
	judgingOf func(context.Context) *judging
	last      atomic.Pointer[report.Report]
}

// judging is how batches are judged by one policy.
type judging struct {
	policy   *policy.Policy
	verdicts *verdict.Judge
	walks    *sync.Pool // holds *walk
}

// surroundings is what the collector of a connector knows. Its fields may be nil.
type surroundings struct {
	costs     func(since time.Duration) ([]conformance.Cost, bool) // what series cost
	receivers []conformance.Receiver
	reloads   func() conformance.Reloads
}

func newState(cfg *Config, p *policy.Policy, around surroundings) *state {
	s := &state{}
	s.results = report.NewBuilder(p.Packs(), report.Settings{
		Prefix: p.Prefix(), Interval: cfg.Interval, Unmet: p.Links().Unmet,
		// Edges are known only when the trace is judged.
		ExpectAfter: cfg.ExpectAfter, ExpectEdgesAfter: cfg.ExpectAfter + coherence.LongestWait*cfg.Window,
		MaxServices: cfg.MaxServices, MaxMetrics: cfg.MaxMetrics, MaxFindings: cfg.MaxFindings,
		Receivers: around.receivers, Reloads: around.reloads, Costs: around.costs, Prices: report.Prices{MillionPoints: cfg.PriceMillionPoints, Gigabyte: cfg.PriceGigabyte, Currency: cfg.Currency},
		URLs:      conformance.URLs{Trace: cfg.TraceURL, Logs: cfg.LogsURL, Metric: cfg.MetricURL},
		Audit:     func(service string) bool { return s.policy.Audit(service) },
		Repairs:   func(service string) naming.Unowned { return s.policy.Repairs(service) },
		Protected: func() []conformance.Protected { return protected(s.policy.Content()) }, LogTraces: p.Logs().All,
	})
	s.traces = coherence.New(s.results, coherence.Settings{
		Window: cfg.Window, Tolerance: cfg.Tolerance, MaxTraces: cfg.MaxTraces, MaxSpans: cfg.MaxSpans,
	})
	s.judging = s.newJudging(p)
	s.judgingOf = func(context.Context) *judging { return s.judging }
	s.last.Store(s.results.Empty(time.Now()))
	return s
}

// newJudging returns how batches are judged by a policy.
func (s *state) newJudging(p *policy.Policy) *judging {
	j := &judging{policy: p, verdicts: verdict.New(p.Namer().Adopted(), s.results, s.traces)}
	s.newWalks(j)
	return j
}

// change has batches judged by another policy. Counts go on.
func (s *state) change(j *judging) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judging = j
	s.results.Replan(j.policy.Packs(), j.policy.Prefix())
	s.traces.Replan()
}

// protected returns what components that share a content policy have protected.
func protected(p *content.Policy) (all []conformance.Protected) {
	for _, c := range p.Counts() {
		all = append(all, conformance.Protected{Service: c.Service, Key: c.Key, Action: string(c.Action), Total: c.Count, Bytes: c.Bytes, Allow: c.Allow})
	}
	return all
}

func (s *state) newWalks(j *judging) {
	j.walks = &sync.Pool{New: func() any { return newWalk(s.results, s.traces, j.verdicts) }}
}

// begin returns the walk of a batch. The caller must call end.
func (s *state) begin(ctx context.Context) *walk {
	s.mu.RLock()
	pool := s.judgingOf(ctx).walks
	w := pool.Get().(*walk)
	w.pool, w.now = pool, time.Now()
	return w
}

func (s *state) end(w *walk) {
	defer s.mu.RUnlock() // also after a panic, which the receiver recovers from
	w.scope, w.resource, w.spans = nil, pcommon.Map{}, w.spans[:0]
	w.pool.Put(w)
}

// sweep judges the traces that have waited long enough.
func (s *state) sweep(now time.Time) { s.traces.Sweep(now, s.mu.RLocker()) }

// endTraces judges the traces that are complete, at a shutdown.
func (s *state) endTraces(now time.Time) { s.traces.End(now, s.mu.RLocker()) }

// Report returns the last report.
func (s *state) Report() *report.Report { return s.last.Load() }

// report makes a report. It takes the findings not sent yet if takeFindings is set.
func (s *state) report(now time.Time, takeFindings bool) *report.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.results.Report(now, takeFindings)
	s.traces.Report(r)
	changed := s.results.Forget(now, takeFindings)
	if s.traces.Forget(now) || changed {
		s.verdicts.Forget()
		s.newWalks(s.judging) // they cache verdicts too
	}
	s.last.Store(r)
	return r
}
