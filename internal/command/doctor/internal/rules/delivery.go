// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pipeline"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/facts"
)

// delivery are the rules on queues, batches and retries.
var delivery = []Rule{
	{"batch-before-persistent-queue", "When the process was killed, the data in the batch processor was lost despite the persistent queue.", findBatchBeforeQueue},
	{"memory-queue-behind-log-file", "Lines in memory count as read: after an outage and a kill, most of them were lost.", findMemoryQueue},
	{"queue-behind-spillover", "Data in the exporter's own queue counts as sent: a kill loses what was on disk before.", findQueueBehindSpillover},
	{"held-behind-spillover", "Held data counts as sent: a kill loses it, and so does an outage when it is sent later.", findHeldBehindSpillover},
	{"dead-letters-off", "Accepted data that the backend refused for itself was dropped, and nobody could send it again.", findLettersOff},
	{"retry-off", "Data that is refused once is lost, at shutdown even a complete persistent queue.", findRetryOff},
	{"retry-too-short", "In an outage longer than the default of 5 min, the data on disk was dropped.", findShortRetry},
	{"unordered-metrics", "After an outage, points that were overtaken came late, and delta to cumulative dropped half of them.", findUnorderedMetrics},
}

var (
	isBatch = facts.IsOf("batch")
	// These accept data before they pass it on. span_link and log_correlation do it for what waits in them.
	isHolding = facts.IsOf("batch", "groupbytrace", "group_by_trace", "interval", "log_correlation", "span_link", "tail_sampling")
	// These merge series or make deltas.
	isMerging = facts.IsOf("cardinality", "cumulative_to_delta", "interval")
	// rendezvous delivers metrics in order, whatever its settings are.
	isOrdered = facts.IsOf("rendezvous")
)

func findBatchBeforeQueue(c *facts.Configuration, report reporter) {
	for _, p := range c.Pipelines {
		batch := slices.IndexFunc(p.Processors, isBatch)
		queue, instead := persistentQueue(p)
		if batch >= 0 && queue != nil && !p.Derived() {
			report(Warning, p.Path(facts.Processors, p.Processors[batch].ID.String()),
				fmt.Sprintf("%q in %s holds data in memory that the queue of %q should keep on disk", p.Processors[batch].ID, inPipelines, queue.ID),
				"leave it out and set "+instead, p)
		}
	}
}

// persistentQueue returns the component that keeps a pipeline's data on disk, or nil, and its setting of batches.
func persistentQueue(p *facts.Pipeline) (queue *facts.Component, batches string) {
	for _, reached := range p.Reach() {
		if at := slices.IndexFunc(reached.Exporters, facts.IsSpillover); at >= 0 {
			return reached.Exporters[at], "batch of the connector"
		}
	}
	for _, exporter := range facts.Destinations(p.Reach()) {
		if exporter.Persistent() {
			return exporter, "sending_queue::batch of the exporter"
		}
	}
	return nil, ""
}

// findMemoryQueue reports queues and batches in memory after a log file receiver, which counts the lines in them as
// delivered. findQueueBehindSpillover and findHeldBehindSpillover report those behind a spillover connector.
func findMemoryQueue(c *facts.Configuration, report reporter) {
	spilled := c.Spilled()
	for _, p := range c.Pipelines {
		from := slices.IndexFunc(p.Receivers, isLogFile)
		if from < 0 {
			continue
		}
		receiver := p.Receivers[from].ID
		reach := slices.DeleteFunc(p.Reach(), func(reached *facts.Pipeline) bool { return spilled[reached] })
		for _, reached := range reach {
			if at := slices.IndexFunc(reached.Processors, isBatch); at >= 0 {
				batch := reached.Processors[at].ID
				report(Warning, reached.Path(facts.Processors, batch.String()), fmt.Sprintf("%q in %s holds lines of %q in memory", batch, inPipelines, receiver),
					"leave it out and set sending_queue::batch of the exporter", reached)
			}
		}
		for _, exporter := range facts.Destinations(reach) {
			for _, queue := range exporter.Queues() {
				if queue.Has(facts.Storage) && !queue.Set(facts.Storage) && !queue.On(facts.WaitForResult) {
					report(Warning, queue.Path, fmt.Sprintf("the queue of %q holds lines of %q in memory", exporter.ID, receiver),
						fmt.Sprintf("wait_for_result: true in %s, or storage", facts.Name(queue.Path)))
				}
			}
		}
	}
}

// behindSpillover calls found once for each pipeline behind a spillover connector.
func behindSpillover(c *facts.Configuration, found func(spillover *facts.Component, p *facts.Pipeline)) {
	seen := map[*facts.Pipeline]bool{}
	for _, first := range c.Pipelines {
		at := slices.IndexFunc(first.Receivers, facts.IsSpillover)
		if at < 0 {
			continue
		}
		for _, p := range first.Reach() {
			if !seen[p] {
				seen[p] = true
				found(first.Receivers[at], p)
			}
		}
	}
}

func findQueueBehindSpillover(c *facts.Configuration, report reporter) {
	seen := map[*facts.Component]bool{}
	behindSpillover(c, func(spillover *facts.Component, p *facts.Pipeline) {
		for _, exporter := range p.Exporters {
			if exporter.Section != facts.Exporters || seen[exporter] {
				continue
			}
			seen[exporter] = true
			for _, queue := range exporter.Queues() {
				if !queue.On(facts.WaitForResult) {
					report(Warning, queue.Path, fmt.Sprintf("what is in the queue of %q counts as sent for %q", exporter.ID, spillover.ID),
						facts.Name(facts.Below(queue.Path, "enabled"))+": false")
				}
			}
			for _, name := range facts.QueueNames {
				if left := withoutEffect(c, exporter.Path(name)); len(left) > 0 {
					report(Warning, exporter.Path(name, left[0]),
						fmt.Sprintf("the queue of %q is disabled, so these settings of it have no effect: %s", exporter.ID, strings.Join(left, ", ")),
						fmt.Sprintf("set batch and queue_size of %q", spillover.ID))
				}
			}
		}
	})
}

// withoutEffect returns the settings that a file gives a queue that is disabled.
func withoutEffect(c *facts.Configuration, path []string) (names []string) {
	queue, _ := c.Merged.Get(facts.Name(path)).(map[string]any)
	if on, set := queue["enabled"].(bool); !set || on {
		return nil
	}
	for key := range queue {
		if key != "enabled" {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}

func findHeldBehindSpillover(c *facts.Configuration, report reporter) {
	behindSpillover(c, func(spillover *facts.Component, p *facts.Pipeline) {
		for _, processor := range p.Processors {
			if !isHolding(processor) || processor.Is("log_correlation") && !processor.Settings().Set("index") {
				continue
			}
			report(Warning, p.Path(facts.Processors, processor.ID.String()),
				fmt.Sprintf("what %q in %s holds in memory counts as sent for %q", processor.ID, inPipelines, spillover.ID),
				"put it before the connector", p)
		}
	})
}

// findLettersOff reports spillover connectors that drop what cannot be sent, instead of waiting until there is room for
// it.
func findLettersOff(c *facts.Configuration, report reporter) {
	for _, connector := range c.Used(facts.Connectors) {
		if size, _ := facts.Value[int](connector.Settings(), "dead_letter_size"); facts.IsSpillover(connector) && size == 0 {
			report(Warning, connector.Path("dead_letter_size"),
				fmt.Sprintf("%q drops accepted data that the next component refuses", connector.ID), "leave it out")
		}
	}
}

// shortestRetry is the length of an outage that a persistent queue should survive.
const shortestRetry = 24 * time.Hour

func findRetryOff(c *facts.Configuration, report reporter) {
	spilled := c.Spilled()
	for _, sender := range c.Used(facts.Receivers, facts.Exporters) {
		if sender.Section == facts.Exporters && sender.ReturnsFailures(spilled) {
			continue
		}
		if all, longest := sender.Retries(); len(all) > 0 && longest == nil {
			report(Warning, facts.Below(all[0].Path, "enabled"), fmt.Sprintf("%q drops data that is refused once", sender.ID),
				"retry_on_failure::enabled: true")
		}
	}
}

func findShortRetry(c *facts.Configuration, report reporter) {
	for _, exporter := range c.Used(facts.Exporters) {
		_, longest := exporter.Retries()
		if longest != nil && exporter.Persistent() && !longest.Endless && longest.Elapsed < shortestRetry {
			report(Warning, facts.Below(longest.Path, facts.MaxElapsedTime),
				fmt.Sprintf("%q drops data that waits longer than %s, although its queue is on disk", exporter.ID, longest.Elapsed),
				"retry_on_failure::max_elapsed_time: 24h")
		}
	}
}

// findUnorderedMetrics reports exporters that deliver several requests of merged metrics at a time. A spillover
// connector sends one batch of metrics at a time, and waits for the result.
func findUnorderedMetrics(c *facts.Configuration, report reporter) {
	seen, spilled := map[string]bool{}, c.Spilled()
	for _, p := range c.Pipelines {
		at := slices.IndexFunc(p.Processors, isMerging)
		if p.ID.Signal() != pipeline.SignalMetrics || at < 0 {
			continue
		}
		for _, exporter := range facts.Destinations(p.Reach()) {
			if isOrdered(exporter) || exporter.ReturnsFailures(spilled) {
				continue
			}
			for _, queue := range exporter.Queues() {
				consumers, _ := facts.Value[int](queue, "num_consumers")
				path := facts.Below(queue.Path, "num_consumers")
				if consumers > 1 && !seen[facts.Name(path)] {
					seen[facts.Name(path)] = true
					report(Warning, path, fmt.Sprintf("%q sends %d requests at a time, and points of %q in pipeline %q overtake each other",
						exporter.ID, consumers, p.Processors[at].ID, p.ID), facts.Name(path)+": 1, in an exporter for metrics only")
				}
			}
		}
	}
}
