package conformanceconnector

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Report is what is known at one time: what metrics and log records are made of, and
// what a page can show. It does not change.
type Report struct {
	At           time.Time     `json:"at"`
	Since        time.Time     `json:"since"` // of all that is counted
	Services     []Service     `json:"services"`
	Metrics      []Metric      `json:"metrics"`      // most series first
	Findings     []Finding     `json:"findings"`     // all that are kept, most severe and most frequent first
	Counts       []Count       `json:"counts"`       // of findings, of all time
	Expectations []Expectation `json:"expectations"` // by pack
	Skews        []Skew        `json:"skews"`        // since the last report
	Links        []Link        `json:"links"`        // derived, by rule
	Limits       []Limit       `json:"limits"`       // that were met
}

// Service is how well one service conforms.
type Service struct {
	Name     string    `json:"name"`
	Since    time.Time `json:"since"`
	Scores   []Score   `json:"scores"`
	Renamed  int64     `json:"renamed"`
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
	// Share is that of what came since the last report, or -1 where nothing did.
	Share float64 `json:"share"`
}

// Metric is how many series one metric has.
type Metric struct {
	Service string `json:"service"`
	Name    string `json:"name"`
	estimate
	Limit int `json:"limit"`
}

// Finding is one distinct finding, and how often it was found.
type Finding struct {
	Rule       string    `json:"rule"`
	Level      string    `json:"level"`
	Reason     string    `json:"reason"`
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

	row     *row
	example pcommon.TraceID
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

// Expectation is what one pack expects of its system.
type Expectation struct {
	System     string     `json:"system"`
	SeenSince  time.Time  `json:"seen_since,omitzero"` // zero where the system sends nothing
	Metrics    []Expected `json:"metrics,omitempty"`
	Components []Expected `json:"components,omitempty"`
	Edges      []Edge     `json:"edges,omitempty"`
}

// Expected is one thing that should come.
type Expected struct {
	Name string    `json:"name"`
	Last time.Time `json:"last,omitzero"` // zero where it never came
}

// Edge is an expected way from one component to another.
type Edge struct {
	Expected
	From    string `json:"from"`
	To      string `json:"to"`
	Traces  int64  `json:"traces"`  // with a span where it begins
	Reached int64  `json:"reached"` // those that took it
}

// Skew is by how much a server's clock is ahead of a client's.
type Skew struct {
	Client    string        `json:"client"`
	Server    string        `json:"server"`
	Offset    time.Duration `json:"offset_ns"`
	Uncertain time.Duration `json:"uncertain_ns"`
	// Bounded tells that Uncertain is known: one offset fits all calls.
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
