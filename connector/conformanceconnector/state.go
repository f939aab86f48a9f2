package conformanceconnector

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// state is what is known of the telemetry that came. It is safe for concurrent use.
type state struct {
	config *Config
	namer  *naming.Namer
	since  time.Time // when counting began

	// mu is held for reading by all that look at data, and for writing by a report,
	// which so sees whole batches and can forget what nobody counts for.
	mu         sync.RWMutex
	generation int // of the caches; changes when they are emptied

	services *services
	findings *findings
	verdicts *verdicts
	series   *seriesTable
	window   *window
	links    *links
	graph    *graph
	sources  *logSources
	skews    *skews
	expect   []*expectation
	edges    *edges
	refused  [limits]atomic.Int64

	last   atomic.Pointer[Report]
	counts map[countKey]int64 // findings of all time; guarded by mu
	walks  sync.Pool          // of *walk
}

// limit is a bound that was met.
type limit int

const (
	limitServices   limit = iota // items of services past max_services
	limitMetrics                 // data points of metrics past max_metrics
	limitFindings                // findings that share a row
	limitTraces                  // spans of traces past max_traces
	limitSpans                   // spans past max_spans
	limitSkews                   // calls between pairs of services past those told apart
	limitComponents              // spans of components and ways past those told apart
	limitSources                 // records of sources past those told apart
	limits
)

var limitTexts = [limits]string{"max_services", "max_metrics", "max_findings", "max_traces", "max_spans", "service_pairs", "components", "log_sources"}

func newState(cfg *Config) (*state, error) {
	packs, err := conventions.Load(cfg.Packs)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	s := &state{
		config: cfg, since: now,
		namer: naming.New(packs, naming.Options{
			Prefix: cfg.Prefix, Unknown: naming.UnknownRename, Exempt: cfg.Exempt,
		}),
		services: newServices(cfg.MaxServices, now),
		findings: newFindings(cfg.MaxFindings),
		verdicts: newVerdicts(),
		series:   newSeriesTable(cfg.MaxMetrics),
		window:   newWindow(cfg.MaxTraces, cfg.MaxSpans, cfg.Window),
		links:    newLinks(),
		graph:    newGraph(),
		sources:  newLogSources(),
		skews:    newSkews(),
		expect:   newExpectations(packs, cfg.Prefix),
		counts:   map[countKey]int64{},
	}
	s.edges = newEdges(s.expect)
	s.last.Store(s.newReport(now))
	s.walks.New = func() any { return &walk{state: s} }
	return s, nil
}

// refuse counts what met a bound.
func (s *state) refuse(l limit, n int64) { s.refused[l].Add(n) }
