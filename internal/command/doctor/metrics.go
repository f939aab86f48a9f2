// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	xpipeline "go.opentelemetry.io/collector/pipeline"
)

var (
	// These merge series or make deltas.
	isMerging = isOf("cardinality", "cumulative_to_delta", "interval")
	// rendezvous delivers metrics in order, whatever its settings are.
	isOrdered = isOf("rendezvous")
)

// findUnorderedMetrics reports exporters that deliver several requests of merged metrics at a time.
func findUnorderedMetrics(c *configuration, report reporter) {
	seen, spilled := map[string]bool{}, c.spilled()
	for _, p := range c.pipelines {
		at := slices.IndexFunc(p.processors, isMerging)
		if p.id.Signal() != xpipeline.SignalMetrics || at < 0 {
			continue
		}
		for _, exporter := range p.destinations() {
			// A spillover connector sends one batch of metrics at a time, and waits for the result.
			if isOrdered(exporter) || c.returnsFailures(exporter, spilled) {
				continue
			}
			for _, queue := range exporter.queues() {
				consumers, _ := settingOf[int](queue, "num_consumers")
				if path := below(queue.path, "num_consumers"); consumers > 1 && !seen[setting(path)] {
					seen[setting(path)] = true
					report(Warning, path, fmt.Sprintf("%q sends %d requests at a time, and points of %q in pipeline %q overtake each other",
						exporter.id, consumers, p.processors[at].id, p.id), setting(path)+": 1, in an exporter for metrics only")
				}
			}
		}
	}
}

// findDifferentMetrics compares an exporter and one for metrics beside it, with metrics as its name. Settings
// for only one of them are mostly a mistake, but not if the metrics go elsewhere. Retries go with the queue: they
// are short without one.
func findDifferentMetrics(c *configuration, report reporter) {
	used := c.used(exporters)
	for _, exporter := range used {
		at := slices.IndexFunc(used, func(d declared) bool { return d.typ == exporter.typ && d.id.Name() == "metrics" })
		if exporter.id.Name() != "" || at < 0 {
			continue
		}
		if isOpaque(exporter) || isOpaque(used[at]) {
			continue
		}
		metrics, one, other := used[at], exporter.top(), used[at].top()
		var differ []string
		for _, name := range slices.Sorted(maps.Keys(one.fields)) {
			if name == sendingQueue || name == retryOnFailure && one.set(sendingQueue) != other.set(sendingQueue) {
				continue
			}
			if !reflect.DeepEqual(one.fields[name].Interface(), other.fields[name].Interface()) {
				differ = append(differ, name)
			}
		}
		severity := Warning
		if slices.Contains(differ, "endpoint") {
			severity = Note
		}
		if len(differ) > 0 {
			report(severity, metrics.path(), fmt.Sprintf("%q has other settings than %q: %s", metrics.id, exporter.id, strings.Join(differ, ", ")),
				"set them for both, unless the metrics go to another backend")
		}
	}
}
