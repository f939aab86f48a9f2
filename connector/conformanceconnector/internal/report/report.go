// Package report counts results and findings by service, metric, rule and pack, and makes reports of them.
package report

import "github.com/otelcol-tc/otelcol-tc/internal/conformance"

// Service and the other types are the parts of a report.
type (
	Service         = conformance.Service
	Score           = conformance.Score
	Part            = conformance.Part
	Metric          = conformance.Metric
	MetricAttribute = conformance.MetricAttribute
	Finding         = conformance.Finding
	Count           = conformance.Count
	Expectation     = conformance.Expectation
	Expected        = conformance.Expected
	ExpectedEdge    = conformance.ExpectedEdge
	Component       = conformance.Component
	Edge            = conformance.Edge
	LogSource       = conformance.LogSource
	Skew            = conformance.Skew
	Link            = conformance.Link
	Protected       = conformance.Protected
	Limit           = conformance.Limit
	countKey        = conformance.CountKey
)

// Report holds the results at one time. It is immutable.
type Report struct {
	conformance.Report
	Rows []*Row `json:"-"` // of its findings, in the same order
}
