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
	return slices.ContainsFunc(d.groups(), func(g group) bool { return g.inner(sendingQueue).set("storage") })
}

func findBatchBeforeQueue(c *configuration, report reporter) {
	for _, p := range c.pipelines {
		batch := slices.IndexFunc(p.processors, isBatch)
		to := slices.IndexFunc(p.destinations(), declared.persistent)
		if batch >= 0 && to >= 0 && !p.derived() {
			report(Warning, p.path(processors, p.processors[batch].id.String()),
				fmt.Sprintf("%q in pipeline %q holds data in memory that the queue of %q should keep on disk",
					p.processors[batch].id, p.id, p.destinations()[to].id),
				"leave it out and set sending_queue::batch of the exporter")
		}
	}
}

// findMemoryQueue reports queues and batches in memory after a log file receiver, which counts the lines
// in them as delivered.
func findMemoryQueue(c *configuration, report reporter) {
	for _, p := range c.pipelines {
		from := slices.IndexFunc(p.receivers, isLogFile)
		if from < 0 {
			continue
		}
		for _, reached := range p.reach() {
			if at := slices.IndexFunc(reached.processors, isBatch); at >= 0 {
				report(Warning, reached.path(processors, reached.processors[at].id.String()),
					fmt.Sprintf("%q in pipeline %q holds lines of %q in memory", reached.processors[at].id, reached.id, p.receivers[from].id),
					"leave it out and set sending_queue::batch of the exporter")
			}
		}
		for _, exporter := range p.destinations() {
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
