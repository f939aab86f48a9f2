// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// podTables are the gauges of the number of pods in k8s_attributes: the default name, and the name with
// the feature gate. They appear with the first pod.
var podTables = []string{"otelcol_otelsvc_k8s_pod_table_size", "otelcol_k8s_watcher_pod_cache_size"}

// selfMetrics is the state from the collector's own metrics, which are the only source for exporters and
// k8s_attributes. It is safe for concurrent use.
type selfMetrics struct {
	config *Config

	mu              sync.Mutex
	pods            bool // pods are required; guarded by mu, like the fields below
	unreadableSince time.Time
	unreadable      error
	noPodsSince     time.Time
	exporters       map[exporterKey]*exporter
}

// start is called when the pipelines run, before the first sample. pods requires at least one pod.
func (m *selfMetrics) start(now time.Time, pods bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pods = pods
	begin(&m.noPodsSince, now, pods) // until a sample has pods
}

// fail records that the metrics are unreadable. The earlier state stays valid for the grace period, so
// that one failed read does not end a condition. After that it is dropped.
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

// unknown reports whether the metrics were unreadable for the grace period.
func (m *selfMetrics) unknown(now time.Time) bool {
	return !m.unreadableSince.IsZero() && now.Sub(m.unreadableSince) >= m.config.Grace
}

// read records new values of the metrics.
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

func (m *selfMetrics) podsKnown() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.noPodsSince.IsZero()
}

func (m *selfMetrics) conditions(now time.Time) (all []Condition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unknown(now) {
		all = append(all, Condition{
			Condition: metricsUnreadable, Since: m.unreadableSince,
			Detail: "the state of exporters and k8s_attributes is not known: " + m.unreadable.Error(),
		})
	}
	if !m.noPodsSince.IsZero() {
		all = append(all, Condition{
			Condition: noPods, Component: "processor/k8s_attributes", Since: m.noPodsSince,
			Detail: "no pod is known: the Kubernetes API is not reachable, or access is denied",
		})
	}
	for key, e := range m.exporters {
		all = append(all, e.conditions(key, m.config)...)
	}
	return all
}

const (
	fetchTime = 5 * time.Second
	// maxPage is far more than the size of the collector's own metrics.
	maxPage = 32 << 20
)

// pageClient uses no proxy and no keep-alive, which would delay the shutdown.
var pageClient = &http.Client{
	Timeout:   fetchTime,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// fetch reads a Prometheus metrics page.
func fetch(ctx context.Context, address string) (map[string]*dto.MetricFamily, error) {
	url := "http://" + address + "/metrics"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := pageClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(io.LimitReader(response.Body, maxPage))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return families, nil
}
