// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

// telemetry counts what the processor does. All label sets are made at the start.
type telemetry struct {
	builder *metadata.TelemetryBuilder
	logs    *conformance.LogCounts // since start
	sources [tracecontext.SourceCount]metric.MeasurementOption
	reasons [tracecontext.ReasonCount]metric.MeasurementOption
	whys    [delivery.ReasonCount]metric.MeasurementOption // of a release
	without [whyCount]metric.MeasurementOption             // why records have no trace
}

// why is why a record has no trace.
type why uint8

const (
	noKey         why = iota
	noSpan            // no span with its key came in time
	noProcess         // requests are split, and nothing states the record's process
	severalTraces     // have its keys
	conflicting       // one source states several ids
	unanswered        // the index was not reached
	whyCount
)

var whyNames [whyCount]string = conformance.WithoutTrace // as many

func newTelemetry(set component.TelemetrySettings) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{builder: builder}
	for source := range tracecontext.SourceCount {
		t.sources[source] = metric.WithAttributes(attribute.String("source", source.String()))
	}
	for reason := range tracecontext.ReasonCount {
		t.reasons[reason] = metric.WithAttributes(attribute.String("reason", reason.String()))
	}
	for why := range delivery.ReasonCount {
		t.whys[why] = metric.WithAttributes(attribute.String("reason", why.String()))
	}
	for why, name := range whyNames {
		t.without[why] = metric.WithAttributes(attribute.String("reason", name))
	}
	t.whys[delivery.Ready] = metric.WithAttributes(attribute.String("reason", "found"))
	return t, nil
}

// tally is what is added to the counters together.
type tally struct {
	enriched                     [tracecontext.SourceCount]int64
	valid, conflicts, duplicates int64

	// With an index.
	joined, ambiguous, resolved, failures int64
	released                              [delivery.ReasonCount]int64

	services map[string]*outcomes // by service.name
}

// outcomes counts the records of a service by what became of them.
type outcomes struct {
	stated  int64            // they have the trace that they state
	with    map[string]int64 // they have a trace of the index, by the evidence
	without [whyCount]int64
}

// of returns the outcomes of a resource's service.
func (n *tally) of(resource pcommon.Resource) *outcomes {
	name := attributes.Text(resource.Attributes(), "service.name")
	service := n.services[name]
	if service == nil {
		if n.services == nil {
			n.services = map[string]*outcomes{}
		}
		service = &outcomes{}
		n.services[name] = service
	}
	return service
}

// count adds a tally to the counters, and resets it.
func (t *telemetry) count(ctx context.Context, n *tally) {
	for source, n := range n.enriched {
		if n > 0 {
			t.builder.LogCorrelationEnriched.Add(ctx, n, t.sources[source])
		}
	}
	t.builder.LogCorrelationValid.Add(ctx, n.valid)
	for name, service := range n.services {
		t.countService(ctx, name, service)
	}
	t.builder.LogCorrelationConflicts.Add(ctx, n.conflicts)
	t.builder.LogCorrelationDuplicates.Add(ctx, n.duplicates)
	if n.joined|n.ambiguous|n.resolved|n.failures != 0 {
		t.builder.LogCorrelationWitnesses.Add(ctx, n.joined)
		t.builder.LogCorrelationAmbiguous.Add(ctx, n.ambiguous)
		t.builder.LogCorrelationResolved.Add(ctx, n.resolved)
		t.builder.LogCorrelationIndexFailures.Add(ctx, n.failures)
	}
	for why, n := range n.released {
		if n > 0 {
			t.builder.LogCorrelationReleased.Add(ctx, n, t.whys[why])
		}
	}
	clear(n.services)
	*n = tally{services: n.services}
}

// found counts a record with a trace of the index.
func (n *outcomes) found(by correlation.Evidence) {
	if n.with == nil {
		n.with = map[string]int64{}
	}
	n.with[by.String()]++
}

func (t *telemetry) countService(ctx context.Context, name string, n *outcomes) {
	for why, n := range n.without {
		if n > 0 {
			t.builder.LogCorrelationUnresolved.Add(ctx, n, t.without[why])
		}
	}
	t.logs.Add(name, n.stated, n.with, n.without)
}

// rejected counts the values of a batch that are not ids.
func (t *telemetry) rejected(ctx context.Context, attributes, body *tracecontext.Evidence) {
	for reason := range tracecontext.ReasonCount {
		if n := attributes.Rejected[reason] + body.Rejected[reason]; n > 0 {
			t.builder.LogCorrelationRejected.Add(ctx, n, t.reasons[reason])
		}
	}
	clear(attributes.Rejected[:])
	clear(body.Rejected[:])
}
