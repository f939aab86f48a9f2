// SPDX-License-Identifier: Apache-2.0

// Package conformance holds the report of the conformance connector, as its page serves it in JSON.
package conformance

import (
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Report holds the results at one time. It is immutable.
type Report struct {
	At           time.Time     `json:"at"`
	Since        time.Time     `json:"since"`       // start of all counts
	Interval     time.Duration `json:"interval_ns"` // between reports
	Prefix       string        `json:"prefix"`      // of conformant metric names
	OneIn        int           `json:"one_in"`      // one of OneIn traces is judged
	Headline     Headline      `json:"headline"`    // of all services' items that packs own
	Traces       Traces        `json:"traces"`
	Services     []Service     `json:"services"`
	Metrics      []Metric      `json:"metrics"`      // most series first
	Findings     []Finding     `json:"findings"`     // most severe and most frequent first
	Counts       []Count       `json:"counts"`       // of findings since the start
	Targets      []Target      `json:"targets"`      // that are scraped, failing ones first
	Expectations []Expectation `json:"expectations"` // by pack
	Components   []Component   `json:"components"`   // that judged traces have spans of
	Edges        []Edge        `json:"ways"`         // between them, in judged traces
	Skews        []Skew        `json:"skews"`        // since the last report
	LogSources   []LogSource   `json:"log_sources"`  // smallest share of records with a trace first
	LogTraces    []LogTraces   `json:"log_traces"`   // what log_correlation found, by service
	Links        []Link        `json:"links"`        // derived links, by rule
	Protected    []Protected   `json:"protected"`    // by service and key
	Limits       []Limit       `json:"limits"`       // reached limits
	Explorer     Explorer      `json:"explorer"`     // series and their cost
	URLs         URLs          `json:"urls"`         // of the user's backend
	Reloads      *Reloads      `json:"reloads,omitempty"`
	Receivers    []Receiver    `json:"receivers"` // where the collector gets OTLP, as far as it is known
}

// Service returns the results of a service, or nil.
func (r *Report) Service(name string) *Service {
	for i := range r.Services {
		if r.Services[i].Name == name {
			return &r.Services[i]
		}
	}
	return nil
}

// Headline is the score of the worst signal. A mean over all items would show attributes only, because
// there are many times more of them.
type Headline struct {
	// Signal is empty if nothing came: Share is then -1.
	Signal string `json:"signal,omitempty"`
	// Share is the conformant share since the start.
	Share float64 `json:"share"`
}

// Traces counts traces that were judged as a whole, and those that were not.
type Traces struct {
	Judged int64 `json:"judged"`
	// Waiting is the number of traces that wait for more spans now. They are judged later.
	Waiting int64 `json:"waiting"`
	// Unjudged is the number of traces that waited and were not judged, because there was no room for all
	// their spans or they lasted too long.
	Unjudged int64 `json:"unjudged"`
}

// Target is a scraped target, by the metric up of the Prometheus receiver.
type Target struct {
	Service  string    `json:"service"`  // the job
	Instance string    `json:"instance"` // mostly host:port
	Up       bool      `json:"up"`
	Since    time.Time `json:"since"` // when Up last changed
	Last     time.Time `json:"last"`  // the last scrape
}

// Service holds the results of one service.
type Service struct {
	Name  string    `json:"name"`
	Since time.Time `json:"since"`
	Last  time.Time `json:"last"` // when it last sent something
	// Silent reports whether it sent for some time, and has stopped.
	Silent bool `json:"silent,omitempty"`
	// Headline is of the items that packs own, or of those whose names pass if it has no others.
	Headline Headline `json:"headline"`
	Scores   []Score  `json:"scores"`
	Spans    int64    `json:"spans"` // judged with their traces
	Roots    int64    `json:"roots"`
	Late     int64    `json:"late_spans"`
	Unjudged int64    `json:"unjudged_spans"`
	// The next fields are about its metrics.
	Series     int     `json:"series"`
	OverBudget int     `json:"over_budget"`
	BudgetUsed float64 `json:"budget_used"` // by the metric with the most series
	// Unowned reports whether all its names pass, because no pack owns them.
	Unowned bool `json:"unowned"`
	// Audit reports whether its telemetry stays unchanged.
	Audit bool `json:"audit"`
	// Adopt is the configuration that makes its names conformant, in YAML. It is empty if there is nothing
	// to change, or no service.name to select the service by. AdoptValues is the same as values of the Helm
	// chart, and AdoptVariable as the variable that the profiles read.
	Adopt         string `json:"adopt,omitempty"`
	AdoptValues   string `json:"adopt_values,omitempty"`
	AdoptVariable string `json:"adopt_variable,omitempty"`
}

// Score holds the conformance of one signal: of all items, and separately of those that a pack owns and of
// those whose names pass, because no pack owns them. Where the configuration repairs names that no pack
// owns, their items are among the owned ones.
type Score struct {
	Signal string `json:"signal"`
	Part
	Owned   Part `json:"owned"`
	Unowned Part `json:"unowned"`
}

// Part holds the conformance of some items.
type Part struct {
	Checked    int64 `json:"checked"`
	Conformant int64 `json:"conformant"`
	// Renamed is the number of conformant items whose name an earlier component made conformant.
	Renamed int64 `json:"renamed"`
	// Outside is the number of log records that cannot have a trace: none of their service came before.
	// They are among the checked ones, and no share counts them.
	Outside int64 `json:"outside,omitempty"`
	// Share is the conformant share of the items since the last report, or -1 without items.
	Share float64 `json:"share"`
}

// Whole returns the conformant share since the start, or -1 without items.
func (p Part) Whole() float64 {
	if p.Checked <= p.Outside {
		return -1
	}
	return float64(p.Conformant) / float64(p.Checked-p.Outside)
}

// Metric describes a metric of a service. What it has of series is what cardinality knows, if it shares that.
type Metric struct {
	Service string `json:"service"`
	Name    string `json:"name"`
	System  string `json:"system"` // "none" if no pack owns the metric
	Type    string `json:"type"`
	Unit    string `json:"unit,omitempty"`
	Series  int    `json:"series"`
	Limit   int    `json:"limit"`
	// Merged is the most series that can remain without the attributes that hold ids. It is 0 if none does.
	Merged int `json:"merged,omitempty"`
	// Attributes are those of its points, most values first.
	Attributes []MetricAttribute `json:"attributes"`
}

// The types of metrics.
const (
	TypeGauge                = "gauge"
	TypeCounter              = "counter"
	TypeUpDownCounter        = "updowncounter"
	TypeHistogram            = "histogram"
	TypeExponentialHistogram = "exponential_histogram"
	TypeSummary              = "summary"
)

// MetricAttribute is the estimated number of values of one attribute of a metric's points.
type MetricAttribute struct {
	Key    string `json:"key"`
	Values int    `json:"values"`
	Exact  bool   `json:"exact"`
	// ID is IDByPack or IDSuspected if the values are ids, else empty.
	ID string `json:"id,omitempty"`
}

// Finding is one distinct finding with its count.
type Finding struct {
	Rule   string `json:"rule"`
	Level  string `json:"level"`
	Reason string `json:"reason"`
	// Action is what to do about it.
	Action string `json:"action"`
	// Code is a change of the service's code that helps, as an example to adapt. It has no text from
	// telemetry.
	Code string `json:"code,omitempty"`
	// Docs is the address of the documentation's section about it.
	Docs string `json:"docs"`
	// Naming is the naming rule that an earlier component applied to the name.
	Naming  string `json:"naming,omitempty"`
	Signal  string `json:"signal"`
	Service string `json:"service,omitempty"`
	System  string `json:"system,omitempty"`
	// Name reports whether the finding is about a name. Suggestion is then the conformant one, and
	// otherwise advice in words.
	Name bool `json:"name,omitempty"`
	// Unowned reports whether the finding is about a name that passes, because no pack owns it. The name
	// stays unless the service is adopted.
	Unowned    bool      `json:"unowned,omitempty"`
	Original   string    `json:"original"`
	Suggestion string    `json:"suggestion,omitempty"`
	Paste      string    `json:"paste,omitempty"` // YAML
	TraceID    string    `json:"trace_id,omitempty"`
	Count      int64     `json:"count"` // sent as log records so far
	Total      int64     `json:"total"`
	Since      time.Time `json:"since"`
}

// The levels of findings, as in OpenTelemetry Weaver.
const (
	LevelViolation   = "violation"
	LevelImprovement = "improvement"
	LevelInformation = "information"
)

// Count is the number of findings of a rule.
type Count struct {
	CountKey
	Total int64     `json:"total"`
	Since time.Time `json:"since"`
}

// CountKey is what findings are counted by.
type CountKey struct {
	Service string `json:"service,omitempty"`
	System  string `json:"system,omitempty"`
	Signal  string `json:"signal"`
	Rule    string `json:"rule"`
	// Unowned reports whether the findings are about names that no pack owns.
	Unowned bool `json:"unowned,omitempty"`
}

// Expectation holds what one pack expects of its system, and when it was last seen.
type Expectation struct {
	System     string         `json:"system"`
	SeenSince  time.Time      `json:"seen_since,omitzero"` // zero if the system sends nothing
	Silent     bool           `json:"silent,omitempty"`    // it sent for some time, and has stopped
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
	// File reports whether the source is a text file. The next fields are about files.
	File bool `json:"file,omitempty"`
	// NoFormat is the number of lines without a severity: no format of a log was found in them.
	NoFormat int64 `json:"no_format,omitempty"`
	// Shape shows the form of such a line, without its words and numbers.
	Shape string `json:"shape,omitempty"`
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
	// Unmet is how many spans waited in vain for the other stage: not sent, or at another gateway with an index of its own.
	Unmet int64 `json:"unmet,omitempty"`
}

// Protected is the number of values of a service that were replaced or shortened, because their key can
// have content of conversations or secrets.
type Protected struct {
	Service string `json:"service"`
	Key     string `json:"key"` // a glob, or the key of free text
	Action  string `json:"action"`
	Total   int64  `json:"total"`
	// Bytes is the length of the values. That of credentials is not counted.
	Bytes int64 `json:"bytes,omitempty"`
	// Allow is the key that content::allow takes to keep the values, or empty for credentials.
	Allow string `json:"allow,omitempty"`
}

// Limit is the number of items beyond a limit.
type Limit struct {
	Name  string `json:"name"`
	Total int64  `json:"total"`
}

// Receiver is where the collector gets OTLP over one protocol.
type Receiver struct {
	ID       string `json:"id"`
	Protocol string `json:"protocol"`
	Endpoint string `json:"endpoint"` // as configured: host:port
	TLS      bool   `json:"tls,omitempty"`
	// Auth reports whether clients need credentials.
	Auth bool `json:"auth,omitempty"`
}

// The protocols of OTLP.
const (
	OverGRPC = "grpc"
	OverHTTP = "http"
)

const (
	// MaxText is the number of bytes that are kept of a name from telemetry.
	MaxText = 256

	// UnknownService is the name for resources without service.name.
	UnknownService = "unknown"
)

// Kept returns the beginning of a text from telemetry, as valid UTF-8, which protobuf and JSON require.
func Kept(text string) string { return strings.ToValidUTF8(naming.Beginning(text, MaxText), "\ufffd") }

// ServiceName returns what reports call the service with the given service.name.
func ServiceName(text string) string {
	if text == "" {
		return UnknownService
	}
	return Kept(text)
}

// Reloads is which files the policy of a collector comes from, and what became of their last change.
type Reloads struct {
	// Generation counts the policies since the start, from 1.
	Generation int       `json:"generation"`
	Since      time.Time `json:"since"` // of the current policy
	Files      []File    `json:"files"` // of the current policy
	// Refused is why the policy stays although files have changed. It is empty if it has their content.
	Refused   string    `json:"refused,omitempty"`
	RefusedAt time.Time `json:"refused_at,omitzero"`
	// Restart is what has changed in the files and needs a restart.
	Restart []string `json:"restart,omitempty"`
}

// File is a file with a version: the beginning of the hash of its content, or why it cannot be read.
type File struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}
