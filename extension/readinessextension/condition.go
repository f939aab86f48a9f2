package readinessextension

import "time"

// What can speak against work, as metadata.yaml has it.
const (
	pipelinesNotRunning = "pipelines_not_running"
	permanentError      = "permanent_error"
	queueFull           = "queue_full"
	noPods              = "no_pods"
	exporterFailing     = "exporter_failing"
	exporterStalled     = "exporter_stalled"
	recoverableError    = "recoverable_error"
	metricsUnreadable   = "metrics_unreadable"
)

var allConditions = []string{
	pipelinesNotRunning, permanentError, queueFull, noPods, exporterFailing, exporterStalled, recoverableError, metricsUnreadable,
}

// Condition is one thing that speaks against giving the collector work.
type Condition struct {
	Condition string `json:"condition"`
	// Component is what has it, such as exporter/otlp_http. Empty means the whole collector.
	Component string `json:"component,omitempty"`
	// Signal is set where a component has it for one signal only.
	Signal string    `json:"signal,omitempty"`
	Since  time.Time `json:"since"`
	Detail string    `json:"detail"`
	// Fails tells that this condition alone makes the answer 503.
	Fails bool `json:"fails"`
}

// key is the same for as long as a condition lasts, whatever its details.
func (c *Condition) key() string { return c.Condition + " " + c.Component + " " + c.Signal }

// begin notes since when something is so, and forgets it when it is not.
func begin(since *time.Time, now time.Time, so bool) {
	switch {
	case !so:
		*since = time.Time{}
	case since.IsZero():
		*since = now
	}
}
