// Package report counts results and findings by service, metric, rule and pack, and makes reports of them.
package report

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Report holds the results at one time. It is immutable.
type Report struct {
	At           time.Time     `json:"at"`
	Since        time.Time     `json:"since"`       // start of all counts
	Interval     time.Duration `json:"interval_ns"` // between reports
	OneIn        int           `json:"one_in"`      // one of OneIn traces is judged
	Services     []Service     `json:"services"`
	Metrics      []Metric      `json:"metrics"`      // most series first
	Findings     []Finding     `json:"findings"`     // most severe and most frequent first
	Counts       []Count       `json:"counts"`       // of findings since the start
	Expectations []Expectation `json:"expectations"` // by pack
	Components   []Component   `json:"components"`   // that judged traces have spans of
	Edges        []Edge        `json:"ways"`         // between them, in judged traces
	Skews        []Skew        `json:"skews"`        // since the last report
	LogSources   []LogSource   `json:"log_sources"`  // smallest share of records with a trace first
	Links        []Link        `json:"links"`        // derived links, by rule
	Limits       []Limit       `json:"limits"`       // reached limits
}

// Service holds the results of one service.
type Service struct {
	Name     string    `json:"name"`
	Since    time.Time `json:"since"`
	Scores   []Score   `json:"scores"`
	Spans    int64     `json:"spans"` // judged with their traces
	Roots    int64     `json:"roots"`
	Late     int64     `json:"late_spans"`
	Unjudged int64     `json:"unjudged_spans"`
	// The next fields are about its metrics.
	Series     int     `json:"series"`
	OverBudget int     `json:"over_budget"`
	BudgetUsed float64 `json:"budget_used"` // by the metric with the most series
}

// Score holds the conformance of one signal.
type Score struct {
	Signal     string `json:"signal"`
	Checked    int64  `json:"checked"`
	Conformant int64  `json:"conformant"`
	// Renamed is the number of conformant items whose name an earlier component made conformant.
	Renamed int64 `json:"renamed"`
	// Share is the conformant share of the items since the last report, or -1 without items.
	Share float64 `json:"share"`
}

// Metric holds the number of series of a metric.
type Metric struct {
	Service string `json:"service"`
	Name    string `json:"name"`
	Series  int    `json:"series"`
	Exact   bool   `json:"exact"`
	Limit   int    `json:"limit"`
	// History is the number of series at each of the last reports, newest last.
	History []int `json:"history"`
}

// Finding is one distinct finding with its count.
type Finding struct {
	Rule   string `json:"rule"`
	Level  string `json:"level"`
	Reason string `json:"reason"`
	// Naming is the naming rule that an earlier component applied to the name.
	Naming     string    `json:"naming,omitempty"`
	Signal     string    `json:"signal"`
	Service    string    `json:"service,omitempty"`
	System     string    `json:"system,omitempty"`
	Original   string    `json:"original"`
	Suggestion string    `json:"suggestion,omitempty"`
	Paste      string    `json:"paste,omitempty"` // YAML
	TraceID    string    `json:"trace_id,omitempty"`
	Count      int64     `json:"count"` // sent as log records so far
	Total      int64     `json:"total"`
	Since      time.Time `json:"since"`

	Kind    Kind            `json:"-"`
	Example pcommon.TraceID `json:"-"`
	row     *Row
}

// Count is the number of findings of a rule.
type Count struct {
	countKey
	Total int64     `json:"total"`
	Since time.Time `json:"since"`
}

type countKey struct {
	Service string `json:"service,omitempty"`
	System  string `json:"system,omitempty"`
	Signal  string `json:"signal"`
	Rule    string `json:"rule"`
}

// Expectation holds what one pack expects of its system, and when it was last seen.
type Expectation struct {
	System     string         `json:"system"`
	SeenSince  time.Time      `json:"seen_since,omitzero"` // zero if the system sends nothing
	Metrics    []Expected     `json:"metrics,omitempty"`
	Components []Expected     `json:"components,omitempty"`
	Edges      []ExpectedEdge `json:"edges,omitempty"`
}

// Expected is an expected item.
type Expected struct {
	Name string    `json:"name"`
	Last time.Time `json:"last,omitzero"` // zero if never seen
}

// ExpectedEdge is an expected edge from one component to another.
type ExpectedEdge struct {
	Expected
	From    string `json:"from"`
	To      string `json:"to"`
	Traces  int64  `json:"traces"`  // with a span at the start of the edge
	Reached int64  `json:"reached"` // traces that have the edge
}

// Component is a component that spans name, or a service whose spans name none. Such a service has no
// system. Components that no pack owns have the system "none".
type Component struct {
	System         string `json:"system,omitempty"`
	Name           string `json:"name"`
	Spans          int64  `json:"spans"`
	Roots          int64  `json:"roots"`
	MissingParents int64  `json:"missing_parents"`
}

// Edge counts spans of component To whose parents are spans of component From. Both are indexes of
// Report.Components.
type Edge struct {
	From  int   `json:"from"`
	To    int   `json:"to"`
	Spans int64 `json:"spans"`
}

// LogSource counts the records with a trace of one scope or file of a service.
type LogSource struct {
	Service      string `json:"service"`
	Name         string `json:"name"`
	Records      int64  `json:"records"`
	WithTrace    int64  `json:"with_trace"`
	WithSpan     int64  `json:"with_span"`     // of those with a trace
	InAttributes int64  `json:"in_attributes"` // that have the trace in attributes only
}

// Skew is the offset of a server's clock from a client's clock.
type Skew struct {
	Client    string        `json:"client"`
	Server    string        `json:"server"`
	Offset    time.Duration `json:"offset_ns"`
	Uncertain time.Duration `json:"uncertain_ns"`
	// Bounded reports whether one offset fits all calls, so that Uncertain is known.
	Bounded bool  `json:"bounded"`
	Calls   int64 `json:"calls"`
}

// Link is the number of links that a rule derived.
type Link struct {
	Rule  string `json:"rule"`
	Total int64  `json:"total"`
}

// Limit is the number of items beyond a limit.
type Limit struct {
	Name  string `json:"name"`
	Total int64  `json:"total"`
}
