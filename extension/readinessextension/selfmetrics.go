package readinessextension

import (
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// podTables are the gauges of the pods that k8s_attributes knows: by default, and with the
// feature gate of their new names. They appear with the first pod.
var podTables = []string{"otelcol_otelsvc_k8s_pod_table_size", "otelcol_k8s_watcher_pod_cache_size"}

// selfMetrics is what the collector's own metrics say. Exporters and k8s_attributes do not
// report how they are in any other way. All methods are safe for concurrent use.
type selfMetrics struct {
	config *Config

	mu              sync.Mutex
	pods            bool // whether some must be known; guarded by mu, as the rest
	unreadableSince time.Time
	unreadable      error
	noPodsSince     time.Time
	exporters       map[exporterKey]*exporter
}

// start is called when the pipelines run, before the first reading. Pods tells whether some must
// be known, and will be told of.
func (m *selfMetrics) start(now time.Time, pods bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pods = pods
	begin(&m.noPodsSince, now, pods) // until the metrics say otherwise
}

// fail notes that they cannot be read. A page that comes late once hides no fault that lasts:
// what they said before holds for a grace, and may not be so any more after it.
func (m *selfMetrics) fail(now time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	begin(&m.unreadableSince, now, true)
	m.unreadable = err
	if m.unknown(now) {
		m.exporters = nil
		begin(&m.noPodsSince, now, false)
	}
}

// unknown tells whether they could not be read for a grace.
func (m *selfMetrics) unknown(now time.Time) bool {
	return !m.unreadableSince.IsZero() && now.Sub(m.unreadableSince) >= m.config.Grace
}

// read takes what they say now.
func (m *selfMetrics) read(now time.Time, families map[string]*dto.MetricFamily) {
	m.mu.Lock()
	defer m.mu.Unlock()
	begin(&m.unreadableSince, now, false)
	begin(&m.noPodsSince, now, m.pods && !knowsPods(families))
	before := m.exporters
	m.exporters = map[exporterKey]*exporter{}
	for key, s := range samplesOf(families) {
		e, ok := before[key]
		if !ok {
			e = &exporter{}
		}
		e.read(now, s, m.config)
		m.exporters[key] = e
	}
}

func knowsPods(families map[string]*dto.MetricFamily) bool {
	for _, name := range podTables {
		for _, metric := range families[name].GetMetric() {
			if value(metric) > 0 {
				return true
			}
		}
	}
	return false
}

func (m *selfMetrics) conditions(now time.Time) (all []Condition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unknown(now) {
		all = append(all, Condition{
			Condition: metricsUnreadable, Since: m.unreadableSince,
			Detail: "how exporters and k8s_attributes are is not known: " + m.unreadable.Error(),
		})
	}
	if !m.noPodsSince.IsZero() {
		all = append(all, Condition{
			Condition: noPods, Component: "processor/k8s_attributes", Since: m.noPodsSince,
			Detail: "no pod is known: the Kubernetes API was not reached, or may not be asked",
		})
	}
	for key, e := range m.exporters {
		all = append(all, e.conditions(key, m.config)...)
	}
	return all
}
