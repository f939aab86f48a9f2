// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
)

// Generator makes one system's telemetry, scenario by scenario.
type Generator interface {
	// Name is the name New knows the system by.
	Name() string
	// Next returns the telemetry of one more scenario, which ended at now.
	Next(now time.Time) Batch
	// Gatherer returns the metrics that the system exposes for scraping, of all scenarios so far, or nil. It is safe
	// for concurrent use.
	Gatherer() prometheus.Gatherer
}

// Batch is what one scenario sends and writes, and the truth about it.
type Batch struct {
	Traces  ptrace.Traces
	Metrics pmetric.Metrics
	Logs    plog.Logs
	// Lines are the text log entries, in order of time.
	Lines []Line
	// Pairs are the stages that broken traces keep apart, earlier to later.
	Pairs []Pair
}

// Events returns Logs with one record for each event, the first that was sent: two log handlers
// send an event one after the other.
func (b Batch) Events() plog.Logs {
	events := plog.NewLogs()
	b.Logs.CopyTo(events)
	for _, rl := range events.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			var time pcommon.Timestamp
			var body string
			sl.LogRecords().RemoveIf(func(record plog.LogRecord) bool {
				again := record.Timestamp() == time && record.Body().AsString() == body
				time, body = record.Timestamp(), record.Body().AsString()
				return again
			})
		}
	}
	return events
}

// Export sends what is not in text logs over OTLP gRPC. A server that rejects a part of it is an error.
func (b Batch) Export(ctx context.Context, connection *grpc.ClientConn) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	traces, err := ptraceotlp.NewGRPCClient(connection).Export(ctx, ptraceotlp.NewExportRequestFromTraces(b.Traces))
	metrics, metricsErr := pmetricotlp.NewGRPCClient(connection).Export(ctx, pmetricotlp.NewExportRequestFromMetrics(b.Metrics))
	logs, logsErr := plogotlp.NewGRPCClient(connection).Export(ctx, plogotlp.NewExportRequestFromLogs(b.Logs))
	if err := errors.Join(err, metricsErr, logsErr); err != nil {
		return err
	}
	spans, points, records := traces.PartialSuccess(), metrics.PartialSuccess(), logs.PartialSuccess()
	if rejected := spans.RejectedSpans() + points.RejectedDataPoints() + records.RejectedLogRecords(); rejected > 0 {
		return fmt.Errorf("%d items rejected: %s%s%s", rejected, spans.ErrorMessage(), points.ErrorMessage(), records.ErrorMessage())
	}
	return nil
}

// Line is one entry of a text log file.
type Line struct {
	// File is the base name of the file.
	File string
	Time time.Time
	// Text is the entry without its final newline; it may hold others.
	Text string
	// Span is the span the entry was truly written in, whatever ids the text
	// states; it is zero when there was none.
	Span   SpanRef
	States States
}

// States is what an entry itself says of the span it was written in. What it says
// of others is none of its own: only a reader who is wrong takes it for that.
type States string

// What entries state.
const (
	StatesNothing States = "none"
	// StatesTrace is for the id of the span's trace alone.
	StatesTrace States = "trace"
	StatesIDs   States = "ids"
	// StatesConflict is for ids that contradict each other.
	StatesConflict States = "conflict"
)

// SpanRef identifies a span. The zero SpanRef stands for none.
type SpanRef struct {
	TraceID pcommon.TraceID
	SpanID  pcommon.SpanID
}

// Pair is a link that belongs between two spans of different traces.
type Pair struct {
	From, To SpanRef
	// Rule names the key the two stages share.
	Rule string
}

// Findable says whether what is sent joins the two stages at all.
func (p Pair) Findable() bool { return p.Rule != RuleRetrieve }

// Rules of pairs. The systems have more of them.
const (
	RuleTransport = "tc.transport.id"
	// RuleRetrieve pairs the execution of a future with its retrieval. Nothing
	// TuFT sends with the retrieval names the future, so no collector can find
	// these pairs; measure recall without them.
	RuleRetrieve = "tuft.request_id.retrieve"
	RuleRequest  = "rid"
)

// Names lists the four systems that the convention began with.
func Names() []string { return []string{"tensorcast", "tuft", "pytango", "fastdeploy"} }

// KeptNames lists the other systems that New knows: engines, exporters and
// instrumentations whose names are kept.
func KeptNames() []string {
	entries, err := files.ReadDir("systems")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, entry := range entries {
		if name := strings.TrimSuffix(entry.Name(), ".yaml"); !slices.Contains(Names(), name) {
			names = append(names, name)
		}
	}
	return names
}

// New returns the generator of a system whose processes started at start. Each
// system draws from its own random stream, so the choice of systems does not
// change what one of them sends.
func New(name string, seed uint64, start time.Time) (Generator, error) {
	if known := slices.Concat(Names(), KeptNames()); !slices.Contains(known, name) {
		return nil, fmt.Errorf("unknown system %q: must be one of %s", name, strings.Join(known, ", "))
	}
	stream := fnv.New64a()
	stream.Write([]byte(name))
	return newPlayer(name, rand.New(rand.NewPCG(seed, stream.Sum64())), start)
}

// statesIDs is what an entry states in a format that has the ids of the span it is
// written in, if there is one.
func statesIDs(in SpanRef) States {
	if in == (SpanRef{}) {
		return StatesNothing
	}
	return StatesIDs
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
