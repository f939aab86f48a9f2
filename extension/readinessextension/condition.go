// SPDX-License-Identifier: Apache-2.0

package readinessextension

import "time"

// The conditions, as in metadata.yaml.
const (
	pipelinesNotRunning = "pipelines_not_running"
	permanentError      = "permanent_error"
	queueFull           = "queue_full"
	diskFull            = "disk_full"
	noPods              = "no_pods"
	exporterFailing     = "exporter_failing"
	exporterStalled     = "exporter_stalled"
	unreachable         = "exporter_unreachable"
	misconfigured       = "exporter_misconfigured"
	recoverableError    = "recoverable_error"
	metricsUnreadable   = "metrics_unreadable"
)

var allConditions = []string{
	pipelinesNotRunning, permanentError, queueFull, diskFull, noPods, exporterFailing, exporterStalled, unreachable, misconfigured, recoverableError, metricsUnreadable,
}

// Condition is a reason not to send data to the collector.
type Condition struct {
	Condition string `json:"condition"`
	// Component is the component with the condition, such as exporter/otlp_http. It is empty for the whole
	// collector.
	Component string `json:"component,omitempty"`
	// Signal is set if only one signal of the component has the condition.
	Signal string    `json:"signal,omitempty"`
	Since  time.Time `json:"since"`
	Detail string    `json:"detail"`
	// Fails reports whether this condition makes the status 503.
	Fails bool `json:"fails"`
}

// key identifies a condition while it lasts, whatever its details are.
func (c *Condition) key() string { return c.Condition + " " + c.Component + " " + c.Signal }

// begin sets since to now if the condition is new, and clears it if the condition has ended.
func begin(since *time.Time, now time.Time, so bool) {
	switch {
	case !so:
		*since = time.Time{}
	case since.IsZero():
		*since = now
	}
}
