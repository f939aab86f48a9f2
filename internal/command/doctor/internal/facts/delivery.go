// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"slices"
	"time"
)

// Settings of exporters that decide on delivery.
const (
	SendingQueue   = "sending_queue"
	RetryOnFailure = "retry_on_failure"
	WaitForResult  = "wait_for_result"
	Storage        = "storage"
	MaxElapsedTime = "max_elapsed_time"
)

// QueueNames are the settings of an exporter's queue.
var QueueNames = []string{SendingQueue, "remote_write_queue"}

// Queues returns the enabled queues of a component. An exporter can have several, one around the other.
func (c *Component) Queues() (all []Settings) {
	for _, level := range c.Levels {
		for _, name := range QueueNames {
			queue := level.Inner(name)
			if level.Set(name) && (!queue.Has("enabled") || queue.On("enabled")) {
				all = append(all, queue)
			}
		}
	}
	return all
}

// Persistent reports whether one of the component's queues is on disk.
func (c *Component) Persistent() bool {
	return IsSpillover(c) || slices.ContainsFunc(c.Queues(), func(queue Settings) bool { return queue.Set(Storage) })
}

// IsSpillover reports whether a component is a spillover connector, which keeps data on disk.
func IsSpillover(c *Component) bool { return c.Section == Connectors && c.Is("spillover") }

// Spilled returns the pipelines that receive all their data from spillover connectors, also through others that forward
// it.
func (c *Configuration) Spilled() map[*Pipeline]bool {
	spilled := map[*Pipeline]bool{}
	keeps := func(receiver *Component) bool {
		return IsSpillover(receiver) || Forwards(receiver) && len(receiver.fedBy) > 0 && areAll(receiver.fedBy, spilled)
	}
	waiting := slices.Clone(c.Pipelines)
	for len(waiting) > 0 {
		p := waiting[0]
		waiting = waiting[1:]
		if !spilled[p] && len(p.Receivers) > 0 && !slices.ContainsFunc(p.Receivers, func(r *Component) bool { return !keeps(r) }) {
			spilled[p] = true
			waiting = append(waiting, p.Next...)
		}
	}
	return spilled
}

func areAll(pipelines []*Pipeline, set map[*Pipeline]bool) bool {
	return !slices.ContainsFunc(pipelines, func(p *Pipeline) bool { return !set[p] })
}

// ReturnsFailures reports whether a spillover connector gets everything that the exporter cannot send, so that it needs
// no retries of its own: the exporter accepts data only when the backend has accepted it.
func (c *Component) ReturnsFailures(spilled map[*Pipeline]bool) bool {
	return !slices.ContainsFunc(c.Queues(), func(queue Settings) bool { return !queue.On(WaitForResult) }) && areAll(c.fedBy, spilled)
}

// Retry is the longest enabled retry of a component.
type Retry struct {
	Settings
	// Endless reports whether it never ends, and Elapsed when it ends otherwise.
	Endless bool
	Elapsed time.Duration
}

// Retries returns all retry settings of the component, and the longest of the enabled ones. It is nil without any. An
// exporter can have several, one around the other.
func (c *Component) Retries() (all []Settings, longest *Retry) {
	for _, level := range c.Levels {
		if !level.Has(RetryOnFailure) {
			continue
		}
		settings := level.Inner(RetryOnFailure)
		all = append(all, settings)
		if !settings.On("enabled") {
			continue
		}
		elapsed := settings.Duration(MaxElapsedTime)
		retry := &Retry{settings, elapsed == 0, elapsed}
		if longest == nil || !longest.Endless && (retry.Endless || elapsed > longest.Elapsed) {
			longest = retry
		}
	}
	return all, longest
}
