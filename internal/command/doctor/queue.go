// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
)

var isBatch = isOf("batch")

const (
	sendingQueue   = "sending_queue"
	retryOnFailure = "retry_on_failure"
)

// persistent reports whether one of the component's queues is on disk.
func (d declared) persistent() bool {
	if d.section == connectors {
		return isSpillover(d)
	}
	return slices.ContainsFunc(d.groups(), func(g group) bool { return g.inner(sendingQueue).set("storage") })
}

func findBatchBeforeQueue(c *configuration, report reporter) {
	for _, p := range c.pipelines {
		batch := slices.IndexFunc(p.processors, isBatch)
		queues := append(p.spillovers(), p.destinations()...)
		to := slices.IndexFunc(queues, declared.persistent)
		if batch >= 0 && to >= 0 && !p.derived() {
			report(Warning, p.path(processors, p.processors[batch].id.String()),
				fmt.Sprintf("%q in %s holds data in memory that the queue of %q should keep on disk",
					p.processors[batch].id, inPipelines, queues[to].id),
				"leave it out and set "+queues[to].batchSetting(), p)
		}
	}
}

// spillovers returns the spillover connectors that the pipeline's data reaches.
func (p *pipeline) spillovers() []declared {
	var all []declared
	for _, reached := range p.reach() {
		for _, d := range reached.exporters {
			if d.section == connectors && isSpillover(d) {
				all = append(all, d)
			}
		}
	}
	return all
}

// batchSetting names the setting of batches of a component with a queue.
func (d declared) batchSetting() string {
	if isSpillover(d) {
		return "batch of the connector"
	}
	return "sending_queue::batch of the exporter"
}

// findMemoryQueue reports queues and batches in memory after a log file receiver, which counts the lines
// in them as delivered. findQueueBehindSpillover and findHeldBehindSpillover report those behind a spillover
// connector.
func findMemoryQueue(c *configuration, report reporter) {
	spilled := c.spilled()
	for _, p := range c.pipelines {
		from := slices.IndexFunc(p.receivers, isLogFile)
		if from < 0 {
			continue
		}
		reach := slices.DeleteFunc(p.reach(), func(reached *pipeline) bool { return slices.Contains(spilled, reached) })
		for _, reached := range reach {
			if at := slices.IndexFunc(reached.processors, isBatch); at >= 0 {
				report(Warning, reached.path(processors, reached.processors[at].id.String()),
					fmt.Sprintf("%q in %s holds lines of %q in memory", reached.processors[at].id, inPipelines, p.receivers[from].id),
					"leave it out and set sending_queue::batch of the exporter", reached)
			}
		}
		for _, exporter := range destinations(reach) {
			for _, g := range exporter.groups() {
				queue := g.inner(sendingQueue)
				if g.set(sendingQueue) && !queue.set("storage") && !queue.on("wait_for_result") {
					report(Warning, queue.path,
						fmt.Sprintf("the queue of %q holds lines of %q in memory", exporter.id, p.receivers[from].id),
						fmt.Sprintf("wait_for_result: true in %s, or storage", setting(queue.path)))
				}
			}
		}
	}
}
