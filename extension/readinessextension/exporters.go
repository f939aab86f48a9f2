package readinessextension

import (
	"fmt"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// signals are the signals of the items that exporters count.
var signals = map[string]string{
	"spans":           "traces",
	"metric_points":   "metrics",
	"log_records":     "logs",
	"profile_samples": "profiles",
}

// exporterKey identifies an exporter's queue. An exporter has a queue for each signal.
type exporterKey struct{ exporter, signal string }

// sample holds the values of an exporter's metrics.
type sample struct{ size, capacity, sent, failed float64 }

// exporter is the state of an exporter, from all samples so far.
type exporter struct {
	last   sample
	lastAt time.Time

	fullSince    time.Time
	stalledSince time.Time // first sample with items in the queue, after which no item left it

	failingSince time.Time // first sample with permanent failures, after which nothing was sent
	failingFrom  float64   // failed items before that
	lastFailure  time.Time
}

// forget is the number of grace periods after which a failing exporter without new items counts as
// recovered. If its condition keeps traffic away, nothing else can end the condition.
const forget = 5

// stillFull is the part of queue_full below which a full queue is no longer full. Without it, a queue
// around queue_full would begin a new condition each time.
const stillFull = 0.8

func (e *exporter) read(now time.Time, s sample, cfg *Config) {
	sentMore, failedMore := s.sent > e.last.sent, s.failed > e.last.failed
	full := cfg.QueueFull * s.capacity
	if !e.fullSince.IsZero() {
		full *= stillFull
	}
	begin(&e.fullSince, now, s.capacity > 0 && s.size >= full)
	begin(&e.stalledSince, now, s.size > 0 && !sentMore && !failedMore)
	if failedMore && e.failingSince.IsZero() {
		e.failingFrom = e.last.failed
	}
	if failedMore {
		e.lastFailure = now
	}
	begin(&e.failingSince, now, !sentMore && (failedMore || !e.failingSince.IsZero() && now.Sub(e.lastFailure) < forget*cfg.Grace))
	e.last, e.lastAt = s, now
}

// conditions returns the conditions that lasted until the last sample. What happened since then is
// unknown.
func (e *exporter) conditions(key exporterKey, cfg *Config) (all []Condition) {
	add := func(condition string, since time.Time, format string, values ...any) {
		all = append(all, Condition{
			Condition: condition, Component: "exporter/" + key.exporter, Signal: key.signal, Since: since,
			Detail: fmt.Sprintf(format, values...),
		})
	}
	if !e.fullSince.IsZero() {
		add(queueFull, e.fullSince, "its queue holds %.0f of %.0f", e.last.size, e.last.capacity)
	}
	if !e.failingSince.IsZero() && e.lastFailure.Sub(e.failingSince) >= cfg.Grace {
		add(exporterFailing, e.failingSince, "%.0f items failed permanently and none was sent", e.last.failed-e.failingFrom)
	}
	if !e.stalledSince.IsZero() && e.lastAt.Sub(e.stalledSince) >= cfg.Grace {
		add(exporterStalled, e.stalledSince, "its queue holds %.0f of %.0f and nothing was sent", e.last.size, e.last.capacity)
	}
	return all
}

// samplesOf returns the samples of exporters from the collector's own metrics. Whether counters end in
// _total depends on the collector's reader.
func samplesOf(families map[string]*dto.MetricFamily) map[exporterKey]sample {
	all := map[exporterKey]sample{}
	for name, family := range families {
		rest, ok := strings.CutPrefix(name, "otelcol_exporter_")
		if !ok {
			continue
		}
		rest = strings.TrimSuffix(rest, "_total")
		sent, isSent := strings.CutPrefix(rest, "sent_")
		failed, isFailed := strings.CutPrefix(rest, "send_failed_")
		for _, metric := range family.GetMetric() {
			key := exporterKey{exporter: label(metric, "exporter"), signal: label(metric, "data_type")}
			switch {
			case isSent:
				key.signal = signals[sent]
			case isFailed:
				key.signal = signals[failed]
			}
			s := all[key]
			switch {
			case isSent:
				s.sent += value(metric)
			case isFailed:
				s.failed += value(metric)
			case rest == "queue_size":
				s.size += value(metric)
			case rest == "queue_capacity":
				s.capacity += value(metric)
			default:
				continue
			}
			all[key] = s
		}
	}
	return all
}

func label(metric *dto.Metric, name string) string {
	for _, pair := range metric.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}

// value returns the value of a counter or gauge. Only one of them is set.
func value(metric *dto.Metric) float64 {
	return metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + metric.GetUntyped().GetValue()
}
