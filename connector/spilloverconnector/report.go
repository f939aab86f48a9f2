// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

const (
	connectorKey = "connector"
	pathKey      = "path"
	reasonKey    = "reason"
	signalKey    = "signal"
	stateKey     = "state"

	direct = "direct"
	queued = "queue"

	spilling = "spilling"
	draining = "draining"

	queueFull   = "queue_full"
	diskFull    = "disk_full"
	writeFailed = "write_failed"

	nextAway    = "away"
	allRefused  = "refused"
	lettersFull = "dead_letters_full"
)

// report counts and logs what becomes of items.
type report struct {
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	labels    []attribute.KeyValue
	paths     map[string]metric.MeasurementOption // the labels with each path
	all       metric.MeasurementOption            // the labels alone
	host      component.Host
	waiting   atomic.Value // a string: why the queue waits, or empty
}

// state is what the gauges show.
type state struct {
	diskqueue.Stats
	capacity int64
	draining bool
	full     string // why the queue has no room for what it was offered last, or empty
}

func newReport(set connector.Settings, signal pipeline.Signal, current func() state) (*report, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	r := &report{
		logger:    set.Logger,
		telemetry: telemetry,
		labels:    []attribute.KeyValue{attribute.String(connectorKey, set.ID.String()), attribute.String(signalKey, signal.String())},
		paths:     map[string]metric.MeasurementOption{},
	}
	r.all = r.with()
	r.waiting.Store("")
	// Alerts see an increase only of a series that is there before it.
	telemetry.SpilloverQueuedItems.Add(context.Background(), 0, r.all)
	telemetry.SpilloverSetAsideItems.Add(context.Background(), 0, r.all)
	telemetry.SpilloverDeadLetterItems.Add(context.Background(), 0, r.all)
	for _, path := range []string{direct, queued} {
		r.paths[path] = r.with(attribute.String(pathKey, path))
		telemetry.SpilloverSentItems.Add(context.Background(), 0, r.paths[path])
		telemetry.SpilloverRefusedItems.Add(context.Background(), 0, r.paths[path])
	}
	return r, r.observe(current)
}

// observe registers the gauges.
func (r *report) observe(current func() state) error {
	gauge := func(value func(state) int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(value(current()), r.all)
			return nil
		}
	}
	return errors.Join(
		r.telemetry.RegisterSpilloverQueueItemsCallback(gauge(func(s state) int64 { return int64(s.Items) })),
		r.telemetry.RegisterSpilloverQueueBytesCallback(gauge(func(s state) int64 { return s.Bytes })),
		r.telemetry.RegisterSpilloverQueueCapacityCallback(gauge(func(s state) int64 { return s.capacity })),
		r.telemetry.RegisterSpilloverLostBytesCallback(gauge(func(s state) int64 { return s.Damaged })),
		r.telemetry.RegisterSpilloverFullCallback(func(_ context.Context, o metric.Int64Observer) error {
			full := current().full
			for _, reason := range []string{queueFull, diskFull} {
				o.Observe(number(full == reason), r.with(attribute.String(reasonKey, reason)))
			}
			return nil
		}),
		r.telemetry.RegisterSpilloverWaitingCallback(func(_ context.Context, o metric.Int64Observer) error {
			for _, reason := range []string{nextAway, allRefused, lettersFull} {
				o.Observe(number(r.waiting.Load() == reason), r.with(attribute.String(reasonKey, reason)))
			}
			return nil
		}),
		r.telemetry.RegisterSpilloverOldestAgeCallback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(current().age().Seconds(), r.all)
			return nil
		}),
		r.telemetry.RegisterSpilloverStateCallback(func(_ context.Context, o metric.Int64Observer) error {
			now := current().name()
			for _, name := range []string{direct, spilling, draining} {
				o.Observe(number(name == now), r.with(attribute.String(stateKey, name)))
			}
			return nil
		}))
}

func (s state) name() string {
	switch {
	case s.Records == 0:
		return direct
	case s.draining:
		return draining
	}
	return spilling
}

// age returns how long the oldest record has been in the queue.
func (s state) age() time.Duration {
	if s.Records == 0 {
		return 0
	}
	return max(time.Since(s.Oldest), 0)
}

func number(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

func (r *report) with(more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(append(more, r.labels...)...)
}

func (r *report) opened(host component.Host, directory string, found diskqueue.Recovery) {
	r.host = host
	fields := []zap.Field{
		zap.String("directory", directory), zap.Int("records", found.Records), zap.Int64("torn_bytes", found.Torn),
		zap.Int64("damaged_bytes", found.Damaged), zap.Bool("head_lost", found.HeadLost), zap.Error(found.ReadError),
	}
	switch {
	case found.Damaged > 0 || found.HeadLost || found.ReadError != nil:
		r.logger.Error("The queue is damaged: what cannot be read is left out, and the rest is sent", fields...)
	case found.Records > 0:
		r.logger.Info("The queue has data of an earlier process, which is sent first", fields...)
	}
}

func (r *report) sent(path string, items int) {
	if items > 0 {
		r.telemetry.SpilloverSentItems.Add(context.Background(), int64(items), r.paths[path])
	}
}

func (r *report) failed(path string) {
	r.telemetry.SpilloverFailedAttempts.Add(context.Background(), 1, r.paths[path])
}

func (r *report) queued(items int) {
	r.telemetry.SpilloverQueuedItems.Add(context.Background(), int64(items), r.all)
}

func (r *report) refused(path string, items int, kept bool, cause error) {
	r.telemetry.SpilloverRefusedItems.Add(context.Background(), int64(items), r.paths[path])
	r.letter(items, kept)
	r.logger.Error("The next component refused data for good", zap.String("path", path), zap.Int("items", items),
		zap.Bool("dead_letter", kept), zap.Error(cause))
}

func (r *report) setAside(items int, kept bool, why string) {
	r.telemetry.SpilloverSetAsideItems.Add(context.Background(), int64(items), r.all)
	r.letter(items, kept)
	r.logger.Error("A record of the queue is set aside", zap.Int("items", items), zap.Bool("dead_letter", kept), zap.String("reason", why))
}

func (r *report) letter(items int, kept bool) {
	if kept {
		r.telemetry.SpilloverDeadLetterItems.Add(context.Background(), int64(items), r.all)
	}
}

func (r *report) rejected(items int, reason string, err error) {
	r.telemetry.SpilloverRejectedItems.Add(context.Background(), int64(items), r.with(attribute.String(reasonKey, reason)))
	r.logger.Error("The queue cannot keep data, so the sender has to send it again", zap.Int("items", items), zap.Error(err))
}

func (r *report) spills(cause error) {
	r.logger.Warn("The next component does not accept data, which goes to the queue on disk now", zap.Error(cause))
}

var why = map[string]string{
	nextAway:    "The next component accepts nothing, so the queue waits",
	allRefused:  "The next component refuses everything, so the queue waits: it or its settings are at fault",
	lettersFull: "There is no room for dead letters, so the queue waits: move them away",
}

// waits notes why the queue waits, for the log, the metrics, and the status that readiness shows.
func (r *report) waits(reason string, cause error) {
	if r.waiting.Swap(reason) == reason {
		return
	}
	r.logger.Warn(why[reason], zap.Error(cause))
	componentstatus.ReportStatus(r.host, componentstatus.NewRecoverableErrorEvent(fmt.Errorf("%s: %w", why[reason], cause)))
}

// flows notes that the queue does not wait.
func (r *report) flows() {
	if r.waiting.Swap("") != "" {
		componentstatus.ReportStatus(r.host, componentstatus.NewEvent(componentstatus.StatusOK))
	}
}

func (r *report) drained() { r.logger.Info("The queue is empty, and data goes directly again") }

func (r *report) shutdown() { r.telemetry.Shutdown() }
