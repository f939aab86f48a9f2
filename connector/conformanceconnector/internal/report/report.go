// SPDX-License-Identifier: Apache-2.0

// Package report counts results and findings by service, metric, rule and pack, and makes reports of them.
package report

import "github.com/otelcol-tc/otelcol-tc/internal/conformance"

type (
	// Service holds the results of one service.
	Service = conformance.Service
	// Score holds the conformance of one signal.
	Score = conformance.Score
	// Part holds the conformance of some items.
	Part = conformance.Part
	// Headline is the score of the worst signal.
	Headline = conformance.Headline
	// Target is a scraped target.
	Target = conformance.Target
	// Metric holds what is known of the series of a metric.
	Metric = conformance.Metric
	// MetricAttribute is the estimated number of values of an attribute.
	MetricAttribute = conformance.MetricAttribute
	// Finding is one distinct finding with its count.
	Finding = conformance.Finding
	// Count is the number of findings of a rule.
	Count    = conformance.Count
	countKey = conformance.CountKey
	// Expectation holds what one pack expects of its system.
	Expectation = conformance.Expectation
	// Expected is an expected item.
	Expected = conformance.Expected
	// ExpectedEdge is an expected edge.
	ExpectedEdge = conformance.ExpectedEdge
	// Component is a component that spans name.
	Component = conformance.Component
	// Edge counts the calls from one component to another.
	Edge = conformance.Edge
	// LogSource counts the records of one source.
	LogSource = conformance.LogSource
	// Skew is the offset of a server's clock from a client's.
	Skew = conformance.Skew
	// Link is the number of links that a rule derived.
	Link = conformance.Link
	// Protected is the number of values of a key that were protected.
	Protected = conformance.Protected
	// Cost holds what one metric of a service costs.
	Cost = conformance.Cost
	// Limit is the number of items beyond a limit.
	Limit = conformance.Limit
	// Receiver is where the collector gets OTLP over one protocol.
	Receiver = conformance.Receiver
)

// Report holds the results at one time. It is immutable.
type Report struct {
	conformance.Report
	Rows []*Row `json:"-"` // of its findings, in the same order
}
