// SPDX-License-Identifier: Apache-2.0

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

// exporterKey identifies a queue: that of an exporter or of a spillover connector, such as
// exporter/otlp_http. Each has a queue for each signal.
type exporterKey struct{ component, signal string }

// sample holds the values of an exporter's or a connector's metrics.
type sample struct {
	size, capacity float64 // of the queue
	sent, failed   float64 // items, failed permanently
	diskFull       bool    // the disk has no room for the queue
}

// exporter is the state of an exporter, from all samples so far.
type exporter struct {
	last   sample
	lastAt time.Time

	fullSince    time.Time
	noDiskSince  time.Time
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
	begin(&e.noDiskSince, now, s.diskFull)
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
			Condition: condition, Component: key.component, Signal: key.signal, Since: since,
			Detail: fmt.Sprintf(format, values...),
		})
	}
	if !e.fullSince.IsZero() {
		add(queueFull, e.fullSince, "its queue holds %.0f of %.0f", e.last.size, e.last.capacity)
	}
	if !e.noDiskSince.IsZero() {
		add(diskFull, e.noDiskSince, "the disk has no room for its queue, and new data is refused")
	}
	if !e.failingSince.IsZero() && e.lastFailure.Sub(e.failingSince) >= cfg.Grace {
		add(exporterFailing, e.failingSince, "%.0f items failed permanently and none was sent", e.last.failed-e.failingFrom)
	}
	if !e.stalledSince.IsZero() && e.lastAt.Sub(e.stalledSince) >= cfg.Grace {
		add(exporterStalled, e.stalledSince, "its queue holds %.0f of %.0f and nothing was sent", e.last.size, e.last.capacity)
	}
	return all
}

// samplesOf returns the samples of exporters and spillover connectors from the collector's own metrics.
// Whether counters end in _total depends on the collector's reader.
func samplesOf(families map[string]*dto.MetricFamily) map[exporterKey]sample {
	all := map[exporterKey]sample{}
	spillover := false
	for name, family := range families {
		name = strings.TrimSuffix(name, "_total")
		read := readSpillover
		rest, ok := strings.CutPrefix(name, "otelcol_spillover_")
		spillover = spillover || ok
		if !ok {
			rest, ok = strings.CutPrefix(name, "otelcol_exporter_")
			read = readExporter
		}
		if !ok {
			continue
		}
		for _, metric := range family.GetMetric() {
			key, change, known := read(rest, metric)
			if !known {
				continue
			}
			s := all[key]
			change(&s, value(metric))
			all[key] = s
		}
	}
	for key, s := range all {
		// What an exporter without a queue does not send it returns to the spillover connector, which counts
		// what is refused for good.
		if spillover && s.capacity == 0 {
			delete(all, key)
		}
	}
	return all
}

// readExporter returns whose sample a metric of an exporter changes, and how.
func readExporter(rest string, metric *dto.Metric) (exporterKey, func(*sample, float64), bool) {
	key := exporterKey{component: "exporter/" + label(metric, "exporter"), signal: label(metric, "data_type")}
	if sent, ok := strings.CutPrefix(rest, "sent_"); ok {
		key.signal = signals[sent]
		return key, func(s *sample, v float64) { s.sent += v }, true
	}
	if failed, ok := strings.CutPrefix(rest, "send_failed_"); ok {
		key.signal = signals[failed]
		return key, func(s *sample, v float64) { s.failed += v }, true
	}
	switch rest {
	case "queue_size":
		return key, func(s *sample, v float64) { s.size += v }, true
	case "queue_capacity":
		return key, func(s *sample, v float64) { s.capacity += v }, true
	}
	return key, nil, false
}

// readSpillover returns whose sample a metric of a spillover connector changes, and how.
func readSpillover(rest string, metric *dto.Metric) (exporterKey, func(*sample, float64), bool) {
	key := exporterKey{component: "connector/" + label(metric, "connector"), signal: label(metric, "signal")}
	switch rest {
	case "queue_bytes":
		return key, func(s *sample, v float64) { s.size += v }, true
	case "queue_capacity":
		return key, func(s *sample, v float64) { s.capacity += v }, true
	case "sent_items":
		return key, func(s *sample, v float64) { s.sent += v }, true
	case "refused_items":
		return key, func(s *sample, v float64) { s.failed += v }, true
	case "full":
		return key, func(s *sample, v float64) { s.diskFull = s.diskFull || v > 0 && label(metric, "reason") == diskFull }, true
	}
	return key, nil, false
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
