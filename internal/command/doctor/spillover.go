// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
	"strings"
)

var (
	isSpillover = isOf("spillover")

	// These accept data before they pass it on. span_link and log_correlation do it for what waits in them.
	isHolding = isOf("batch", "groupbytrace", "group_by_trace", "interval", "log_correlation", "span_link", "tail_sampling")
)

// queueNames are the settings of an exporter's queue.
var queueNames = []string{sendingQueue, "remote_write_queue"}

// queues returns the enabled queues of a component. An exporter can have several, one around the other.
func (d declared) queues() []group {
	var all []group
	for _, g := range d.groups() {
		for _, name := range queueNames {
			queue := g.inner(name)
			if g.set(name) && (!queue.has("enabled") || queue.on("enabled")) {
				all = append(all, queue)
			}
		}
	}
	return all
}

// waits reports whether an exporter accepts data only when the backend has accepted it.
func (d declared) waits() bool {
	return !slices.ContainsFunc(d.queues(), func(queue group) bool { return !queue.on("wait_for_result") })
}

// spilled returns the pipelines that receive all their data from spillover connectors.
func (c *configuration) spilled() []*pipeline {
	var all []*pipeline
	known := func(p *pipeline) bool { return slices.Contains(all, p) }
	from := func(d declared) bool {
		switch {
		case d.section != connectors:
			return false
		case isSpillover(d):
			return true
		}
		feeding := slices.DeleteFunc(slices.Clone(c.pipelines), func(p *pipeline) bool { return !slices.ContainsFunc(p.exporters, d.is) })
		return forwards(d) && len(feeding) > 0 && !slices.ContainsFunc(feeding, func(p *pipeline) bool { return !known(p) })
	}
	for before := -1; before < len(all); {
		before = len(all)
		for _, p := range c.pipelines {
			if !known(p) && len(p.receivers) > 0 && !slices.ContainsFunc(p.receivers, func(d declared) bool { return !from(d) }) {
				all = append(all, p)
			}
		}
	}
	return all
}

// returnsFailures reports whether a spillover connector gets everything that the exporter cannot send, so that
// it needs no retries of its own.
func (c *configuration) returnsFailures(exporter declared, spilled []*pipeline) bool {
	return exporter.waits() && !slices.ContainsFunc(c.pipelines, func(p *pipeline) bool {
		return slices.ContainsFunc(p.exporters, exporter.is) && !slices.Contains(spilled, p)
	})
}

// behindSpillover calls found once for each pipeline behind a spillover connector.
func behindSpillover(c *configuration, found func(spillover declared, p *pipeline)) {
	seen := map[*pipeline]bool{}
	for _, first := range c.pipelines {
		at := slices.IndexFunc(first.receivers, isSpillover)
		if at < 0 {
			continue
		}
		for _, p := range first.reach() {
			if !seen[p] {
				seen[p] = true
				found(first.receivers[at], p)
			}
		}
	}
}

func findQueueBehindSpillover(c *configuration, report reporter) {
	seen := map[string]bool{}
	behindSpillover(c, func(spillover declared, p *pipeline) {
		for _, exporter := range p.exporters {
			if exporter.section != exporters || seen[exporter.id.String()] {
				continue
			}
			seen[exporter.id.String()] = true
			for _, queue := range exporter.queues() {
				if !queue.on("wait_for_result") {
					report(Warning, queue.path, fmt.Sprintf("what is in the queue of %q counts as sent for %q", exporter.id, spillover.id),
						setting(below(queue.path, "enabled"))+": false")
				}
			}
			for _, name := range queueNames {
				if left := c.withoutEffect(exporter, name); len(left) > 0 {
					report(Warning, exporter.path(name, left[0]),
						fmt.Sprintf("the queue of %q is disabled, so these settings of it have no effect: %s", exporter.id, strings.Join(left, ", ")),
						fmt.Sprintf("set batch and queue_size of %q", spillover.id))
				}
			}
		}
	})
}

// withoutEffect returns the settings that a file gives a queue that is disabled.
func (c *configuration) withoutEffect(exporter declared, name string) []string {
	section, _ := c.resolved.Get(exporters).(map[string]any)
	component, _ := section[exporter.id.String()].(map[string]any)
	queue, _ := component[name].(map[string]any)
	if on, set := queue["enabled"].(bool); !set || on {
		return nil
	}
	var names []string
	for key := range queue {
		if key != "enabled" {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}

func findHeldBehindSpillover(c *configuration, report reporter) {
	behindSpillover(c, func(spillover declared, p *pipeline) {
		for _, d := range p.processors {
			if !isHolding(d) || isOf("log_correlation")(d) && !d.top().set("index") {
				continue
			}
			report(Warning, p.path(processors, d.id.String()),
				fmt.Sprintf("what %q in %s holds in memory counts as sent for %q", d.id, inPipelines, spillover.id),
				"put it before the connector", p)
		}
	})
}
