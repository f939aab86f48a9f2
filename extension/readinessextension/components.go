// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"errors"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/pipeline"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

// components holds the components that report an error. The zero value is empty. It is safe for concurrent
// use.
type components struct {
	mu     sync.Mutex
	errors map[componentstatus.InstanceID]componentFault // guarded by mu
}

// componentFault is the last error of a component, and the time of its first error without a recovery in
// between.
type componentFault struct {
	since time.Time
	event *componentstatus.Event
}

func (c *components) changed(source componentstatus.InstanceID, event *componentstatus.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch event.Status() {
	case componentstatus.StatusRecoverableError, componentstatus.StatusPermanentError, componentstatus.StatusFatalError:
	default:
		delete(c.errors, source)
		return
	}
	if c.errors == nil {
		c.errors = map[componentstatus.InstanceID]componentFault{}
	}
	since := event.Timestamp()
	if before, ok := c.errors[source]; ok {
		since = before.since
	}
	c.errors[source] = componentFault{since: since, event: event}
}

// conditions returns permanent errors and wrong settings at once, and other recoverable errors after the grace
// period.
func (c *components) conditions(now time.Time, grace time.Duration) (all []Condition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for source, fault := range c.errors {
		condition := conditionOf(fault.event)
		if (condition == recoverableError || condition == unreachable) && now.Sub(fault.since) < grace {
			continue
		}
		all = append(all, Condition{
			Condition: condition,
			Component: strings.ToLower(source.Kind().String()) + "/" + source.ComponentID().String(),
			Signal:    onlySignal(&source),
			Since:     fault.since,
			Detail:    detail(fault.event),
		})
	}
	return all
}

func conditionOf(event *componentstatus.Event) string {
	switch {
	case event.Status() != componentstatus.StatusRecoverableError:
		return permanentError
	case errors.Is(event.Err(), delivery.ErrMisconfigured):
		return misconfigured
	case errors.Is(event.Err(), delivery.ErrUnreachable):
		return unreachable
	}
	return recoverableError
}

// onlySignal returns the signal of an instance whose pipelines all have the same signal. Components that
// share an instance between signals have none.
func onlySignal(source *componentstatus.InstanceID) (only string) {
	source.AllPipelineIDs(func(id pipeline.ID) bool {
		signal := id.Signal().String()
		if only != "" && only != signal {
			only = ""
			return false
		}
		only = signal
		return true
	})
	return only
}

func detail(event *componentstatus.Event) string {
	if event.Err() == nil {
		return event.Status().String()
	}
	return event.Status().String() + ": " + event.Err().Error()
}
