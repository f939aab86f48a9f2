package conformanceconnector

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/coherence"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/verdict"
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// state is what is known of the telemetry that came. It is safe for concurrent use.
type state struct {
	// mu is held for reading by all that look at data, and for writing by a report, which so
	// sees whole batches and can forget what nothing counts for.
	mu       sync.RWMutex
	results  *report.Builder
	traces   *coherence.Traces
	verdicts *verdict.Judge
	walks    sync.Pool // of *walk
	last     atomic.Pointer[report.Report]
}

func newState(cfg *Config) (*state, error) {
	packs, err := conventions.Load(cfg.Packs)
	if err != nil {
		return nil, err
	}
	return newStateOf(cfg, packs), nil
}

func newStateOf(cfg *Config, packs []*conventions.Pack) *state {
	s := &state{}
	s.results = report.NewBuilder(packs, report.Settings{
		Prefix: cfg.Prefix, Interval: cfg.Interval, Limit: cfg.Limit,
		// Whether a trace has an edge is known when it is judged.
		ExpectAfter: cfg.ExpectAfter, ExpectEdgesAfter: cfg.ExpectAfter + coherence.LongestWait*cfg.Window,
		MaxServices: cfg.MaxServices, MaxMetrics: cfg.MaxMetrics, MaxFindings: cfg.MaxFindings,
	})
	s.traces = coherence.New(s.results, coherence.Settings{
		Window: cfg.Window, Tolerance: cfg.Tolerance, MaxTraces: cfg.MaxTraces, MaxSpans: cfg.MaxSpans,
	})
	namer := naming.New(packs, naming.Options{Prefix: cfg.Prefix, Unknown: naming.UnknownRename, Exempt: cfg.Exempt})
	s.verdicts = verdict.New(namer, s.results, s.traces)
	s.last.Store(s.results.Empty(time.Now()))
	s.newWalks()
	return s
}

func (s *state) newWalks() {
	s.walks = sync.Pool{New: func() any { return newWalk(s.results, s.traces, s.verdicts) }}
}

// begin begins the walk of a batch. The caller ends it.
func (s *state) begin() *walk {
	s.mu.RLock()
	w := s.walks.Get().(*walk)
	w.begin(time.Now())
	return w
}

func (s *state) end(w *walk) {
	defer s.mu.RUnlock() // also when there is a panic, which the receiver recovers from
	w.end()
	s.walks.Put(w)
}

// sweep judges the traces that have waited enough.
func (s *state) sweep(now time.Time) { s.traces.Sweep(now, s.mu.RLocker()) }

// Report returns the last report that was made.
func (s *state) Report() *report.Report { return s.last.Load() }

// report makes a report. Findings that are not sent yet are taken only if they go somewhere.
func (s *state) report(now time.Time, takeFindings bool) *report.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.results.Report(now, takeFindings)
	s.traces.Report(r)
	changed := s.results.Forget(now, takeFindings)
	if s.traces.Forget(now) || changed {
		s.verdicts.Forget()
		s.newWalks() // which remember verdicts too
	}
	s.last.Store(r)
	return r
}
