// Package report counts what is judged and found, by service, metric, rule and pack, and states it
// in reports.
package report

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Report is what is known at one time. It does not change.
type Report struct {
	At           time.Time     `json:"at"`
	Since        time.Time     `json:"since"`       // of all that is counted
	Interval     time.Duration `json:"interval_ns"` // between reports
	OneIn        int           `json:"one_in"`      // one of so many traces is judged
	Services     []Service     `json:"services"`
	Metrics      []Metric      `json:"metrics"`      // most series first
	Findings     []Finding     `json:"findings"`     // all that are kept, most severe and most frequent first
	Counts       []Count       `json:"counts"`       // of findings, of all time
	Expectations []Expectation `json:"expectations"` // by pack
	Components   []Component   `json:"components"`   // that judged traces have spans of
	Edges        []Edge        `json:"ways"`         // between them, of judged traces
	Skews        []Skew        `json:"skews"`        // since the last report
	LogSources   []LogSource   `json:"log_sources"`  // fewest records with a trace first
	Links        []Link        `json:"links"`        // derived, by rule
	Limits       []Limit       `json:"limits"`       // that were met
}

// Service is how well one service conforms.
type Service struct {
	Name     string    `json:"name"`
	Since    time.Time `json:"since"`
	Scores   []Score   `json:"scores"`
	Spans    int64     `json:"spans"` // that were judged with their traces
	Roots    int64     `json:"roots"`
	Late     int64     `json:"late_spans"`
	Unjudged int64     `json:"unjudged_spans"`
	// Of its metrics.
	Series     int     `json:"series"`
	OverBudget int     `json:"over_budget"`
	BudgetUsed float64 `json:"budget_used"` // by the metric with the most series
}

// Score is how much of one signal conforms.
type Score struct {
	Signal     string `json:"signal"`
	Checked    int64  `json:"checked"`
	Conformant int64  `json:"conformant"`
	// Renamed are the conformant ones whose name was made conformant before it came.
	Renamed int64 `json:"renamed"`
	// Share is the conformant share of what came since the last report, or -1 if nothing came.
	Share float64 `json:"share"`
}

// Metric is how many series one metric has.
type Metric struct {
	Service string `json:"service"`
	Name    string `json:"name"`
	Series  int    `json:"series"`
	Exact   bool   `json:"exact"`
	Limit   int    `json:"limit"`
	// History is how many series the metric had at the last reports, the newest last.
	History []int `json:"history"`
}

// Finding is one distinct finding, and how often it was found.
type Finding struct {
	Rule   string `json:"rule"`
	Level  string `json:"level"`
	Reason string `json:"reason"`
	// Naming is the rule of naming by which a name was made conformant before it came.
	Naming     string    `json:"naming,omitempty"`
	Signal     string    `json:"signal"`
	Service    string    `json:"service,omitempty"`
	System     string    `json:"system,omitempty"`
	Original   string    `json:"original"`
	Suggestion string    `json:"suggestion,omitempty"`
	Paste      string    `json:"paste,omitempty"` // YAML
	TraceID    string    `json:"trace_id,omitempty"`
	Count      int64     `json:"count"` // that log records were made of
	Total      int64     `json:"total"`
	Since      time.Time `json:"since"`

	Kind    Kind            `json:"-"`
	Example pcommon.TraceID `json:"-"`
	row     *Row
}

// Count is how many findings a rule has.
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

// Expectation is what one pack expects of its system, and when it came.
type Expectation struct {
	System     string         `json:"system"`
	SeenSince  time.Time      `json:"seen_since,omitzero"` // zero where the system sends nothing
	Metrics    []Expected     `json:"metrics,omitempty"`
	Components []Expected     `json:"components,omitempty"`
	Edges      []ExpectedEdge `json:"edges,omitempty"`
}

// Expected is one thing that should come.
type Expected struct {
	Name string    `json:"name"`
	Last time.Time `json:"last,omitzero"` // zero where it never came
}

// ExpectedEdge is an expected edge from one component to another.
type ExpectedEdge struct {
	Expected
	From    string `json:"from"`
	To      string `json:"to"`
	Traces  int64  `json:"traces"`  // with a span where it begins
	Reached int64  `json:"reached"` // those that took it
}

// Component is a component that spans name, or a service whose spans name none. The service has no
// system. The system of what no pack owns is "none".
type Component struct {
	System         string `json:"system,omitempty"`
	Name           string `json:"name"`
	Spans          int64  `json:"spans"`
	Roots          int64  `json:"roots"`
	MissingParents int64  `json:"missing_parents"`
}

// Edge counts the spans of one component whose parents are of another. From, that of the
// parents, and To are places in Report.Components.
type Edge struct {
	From  int   `json:"from"`
	To    int   `json:"to"`
	Spans int64 `json:"spans"`
}

// LogSource is how many records of one scope, or of one file, of one service have a
// trace.
type LogSource struct {
	Service      string `json:"service"`
	Name         string `json:"name"`
	Records      int64  `json:"records"`
	WithTrace    int64  `json:"with_trace"`
	WithSpan     int64  `json:"with_span"`     // of those with a trace
	InAttributes int64  `json:"in_attributes"` // that have the trace in attributes only
}

// Skew is by how much a server's clock is ahead of a client's.
type Skew struct {
	Client    string        `json:"client"`
	Server    string        `json:"server"`
	Offset    time.Duration `json:"offset_ns"`
	Uncertain time.Duration `json:"uncertain_ns"`
	// Bounded reports whether Uncertain is known: one offset fits all calls.
	Bounded bool  `json:"bounded"`
	Calls   int64 `json:"calls"`
}

// Link is how many links a rule derived.
type Link struct {
	Rule  string `json:"rule"`
	Total int64  `json:"total"`
}

// Limit is how often a bound was met.
type Limit struct {
	Name  string `json:"name"`
	Total int64  `json:"total"`
}
