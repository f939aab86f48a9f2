// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/pipeline"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func defaults(*Config) {}

// inBubble runs a test in a synctest bubble.
func inBubble(t *testing.T, change func(*Config), test func(t *testing.T, r *rig, expect func(status int, keys ...string))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, change)
		test(t, r, func(status int, keys ...string) {
			t.Helper()
			synctest.Wait()
			gotStatus, gotKeys := r.ask(t)
			assert.Equal(t, keys, gotKeys)
			assert.Equal(t, status, gotStatus)
		})
	})
}

// Answers change with pages of metrics and time, as in testdata/scenarios.yaml.
func TestScenarios(t *testing.T) {
	file := testfiles.Read[struct {
		Metrics   map[string]string
		Scenarios []struct {
			Name, Configuration string
			FailOn              string `yaml:"fail_on"`
			Steps               []struct {
				Page       map[string]int
				NoPage     bool `yaml:"no_page"`
				Ready      *bool
				Wait       time.Duration
				Status     int
				Conditions []string
				Detail     string // of the first condition
			}
		}
	}](t, "testdata/scenarios.yaml")
	for _, scenario := range file.Scenarios {
		t.Run(scenario.Name, func(t *testing.T) {
			failOn := func(cfg *Config) {
				if scenario.FailOn != "" {
					cfg.FailOn = append(cfg.FailOn, scenario.FailOn)
				}
			}
			inBubble(t, failOn, func(t *testing.T, r *rig, expect func(int, ...string)) {
				if scenario.Configuration != "" {
					r.configure(t, scenario.Configuration)
				}
				for i, step := range scenario.Steps {
					t.Logf("step %d", i)
					if step.Page != nil {
						var lines []string
						for metric, value := range step.Page {
							require.Contains(t, file.Metrics, metric)
							lines = append(lines, fmt.Sprint(file.Metrics[metric], " ", value))
						}
						r.page(lines...)
					}
					if step.NoPage {
						r.noPage()
					}
					if step.Ready != nil && *step.Ready {
						require.NoError(t, r.Ready())
					} else if step.Ready != nil {
						require.NoError(t, r.NotReady())
					}
					time.Sleep(step.Wait)
					expect(step.Status, step.Conditions...)
					if step.Detail != "" {
						assert.Equal(t, step.Detail, r.conditions()[0].Detail)
					}
				}
			})
		})
	}
}

func TestComponentErrors(t *testing.T) {
	inBubble(t, defaults, func(t *testing.T, r *rig, expect func(int, ...string)) {
		r.page()
		require.NoError(t, r.Ready())
		kafka := componentstatus.NewInstanceID(component.MustNewID("kafka"), component.KindExporter,
			pipeline.NewID(pipeline.SignalTraces), pipeline.NewIDWithName(pipeline.SignalTraces, "2"))
		otlp := componentstatus.NewInstanceID(component.MustNewID("otlp"), component.KindReceiver,
			pipeline.NewID(pipeline.SignalTraces), pipeline.NewID(pipeline.SignalLogs))
		recoverable := func() *componentstatus.Event {
			return componentstatus.NewRecoverableErrorEvent(errors.New("away"))
		}
		r.Changed(kafka, recoverable())
		expect(http.StatusOK)
		time.Sleep(40 * time.Second)
		r.Changed(kafka, recoverable()) // a later error of the same fault
		expect(http.StatusOK)
		time.Sleep(20 * time.Second)
		expect(http.StatusOK, "recoverable_error exporter/kafka traces")
		r.Changed(kafka, componentstatus.NewEvent(componentstatus.StatusOK))
		expect(http.StatusOK)

		r.Changed(otlp, componentstatus.NewPermanentErrorEvent(errors.New("refused")))
		expect(http.StatusServiceUnavailable, "permanent_error receiver/otlp")
		assert.Equal(t, "StatusPermanentError: refused", r.conditions()[0].Detail)
		r.Changed(otlp, componentstatus.NewEvent(componentstatus.StatusStopped))
		expect(http.StatusOK)
	})
}

// An exporter that never had a connection: wrong settings keep work away at once, and a gateway that is not there
// does not.
func TestExporterThatNeverConnected(t *testing.T) {
	inBubble(t, defaults, func(t *testing.T, r *rig, expect func(int, ...string)) {
		r.page()
		require.NoError(t, r.Ready())
		rendezvous := componentstatus.NewInstanceID(component.MustNewID("rendezvous"), component.KindExporter,
			pipeline.NewID(pipeline.SignalTraces))
		failed := func(kind error, cause string) {
			r.Changed(rendezvous, componentstatus.NewRecoverableErrorEvent(fmt.Errorf("%w: %s", kind, cause)))
		}
		failed(delivery.ErrUnreachable, "connection refused")
		expect(http.StatusOK)
		time.Sleep(time.Minute)
		expect(http.StatusOK, "exporter_unreachable exporter/rendezvous traces")
		assert.Contains(t, r.conditions()[0].Detail, "connection refused")

		failed(delivery.ErrMisconfigured, "not the name")
		expect(http.StatusServiceUnavailable, "exporter_misconfigured exporter/rendezvous traces")
		assert.Contains(t, r.conditions()[0].Detail, "not the name")

		r.Changed(rendezvous, componentstatus.NewEvent(componentstatus.StatusOK))
		expect(http.StatusOK)
		failed(delivery.ErrMisconfigured, "not the name")
		expect(http.StatusServiceUnavailable, "exporter_misconfigured exporter/rendezvous traces")

		// What it cannot send it keeps, as long as there is room on the disk.
		r.configure(t, "service: {pipelines: {traces: {exporters: [spillover]}, traces/gateways: {exporters: [rendezvous]}}}")
		expect(http.StatusOK, "exporter_misconfigured exporter/rendezvous traces")
		r.page(`otelcol_spillover_queue_capacity{connector="spillover",signal="traces"} 100`, `otelcol_spillover_full{connector="spillover",reason="disk_full",signal="traces"} 1`)
		time.Sleep(5 * time.Second)
		expect(http.StatusServiceUnavailable, "disk_full connector/spillover traces", "exporter_misconfigured exporter/rendezvous traces")
	})
}

const (
	capacity = `otelcol_exporter_queue_capacity{exporter="otlp",data_type="logs"} 1000`
	size     = `otelcol_exporter_queue_size{exporter="otlp",data_type="logs"} `
	sent     = `otelcol_exporter_sent_log_records{exporter="otlp"} `
)

// A full queue in front of a slow backend stays near the limit.
func TestQueueAroundTheLimitIsOneCondition(t *testing.T) {
	inBubble(t, defaults, func(t *testing.T, r *rig, expect func(int, ...string)) {
		r.page(capacity, size+"950")
		require.NoError(t, r.Ready())
		expect(http.StatusOK, "queue_full exporter/otlp logs")
		conditions := r.conditions()
		require.Len(t, conditions, 1)
		for i := range 20 {
			r.page(capacity, size+fmt.Sprint(949+i%2), sent+fmt.Sprint(i))
			time.Sleep(5 * time.Second)
			expect(http.StatusOK, "queue_full exporter/otlp logs")
			require.Len(t, r.conditions(), 1)
			assert.Equal(t, conditions[0].Since, r.conditions()[0].Since)
		}
	})
}

const withKubernetes = `
processors: {k8s_attributes/own: {auth_type: serviceAccount}, naming: }
service:
  pipelines: {logs: {processors: [naming, k8s_attributes/own]}}`

func TestPods(t *testing.T) {
	inBubble(t, defaults, func(t *testing.T, r *rig, expect func(int, ...string)) {
		r.configure(t, withKubernetes)
		r.page()
		require.NoError(t, r.Ready())
		_, keys := r.ask(t) // perhaps before the first sample
		assert.Equal(t, []string{"no_pods processor/k8s_attributes"}, keys)
		expect(http.StatusOK, "no_pods processor/k8s_attributes")
		r.page("otelcol_otelsvc_k8s_pod_table_size 0")
		time.Sleep(5 * time.Second)
		expect(http.StatusOK, "no_pods processor/k8s_attributes")
		r.page("otelcol_otelsvc_k8s_pod_table_size 3")
		time.Sleep(5 * time.Second)
		expect(http.StatusOK)
		r.page("otelcol_k8s_watcher_pod_cache_size 3")
		time.Sleep(5 * time.Second)
		expect(http.StatusOK)
	})
}

// If the metrics are unreadable for the grace period, the collector is ready: no condition is known.
func TestMetricsThatCannotBeRead(t *testing.T) {
	inBubble(t, defaults, func(t *testing.T, r *rig, expect func(int, ...string)) {
		r.configure(t, withKubernetes)
		r.noPage()
		require.NoError(t, r.Ready())
		for range 2 {
			expect(http.StatusOK, "no_pods processor/k8s_attributes")
			time.Sleep(55 * time.Second)
			expect(http.StatusOK, "no_pods processor/k8s_attributes")
			time.Sleep(5 * time.Second)
			expect(http.StatusOK, "metrics_unreadable")
			assert.Contains(t, r.conditions()[0].Detail, "is not known: connection refused")
			r.page()
			time.Sleep(5 * time.Second)
			expect(http.StatusOK, "no_pods processor/k8s_attributes")
			r.noPage()
			time.Sleep(5 * time.Second)
		}
	})
}

// An occasional failed read, as of a busy collector, does not end a condition.
func TestOneMissedRead(t *testing.T) {
	inBubble(t, defaults, func(t *testing.T, r *rig, expect func(int, ...string)) {
		r.page(capacity, size+"960")
		require.NoError(t, r.Ready())
		for i := range 12 {
			expect(http.StatusOK, "queue_full exporter/otlp logs")
			if r.page(capacity, size+"960"); i%6 == 4 {
				r.noPage()
			}
			time.Sleep(5 * time.Second)
		}
		expect(http.StatusOK, "exporter_stalled exporter/otlp logs", "queue_full exporter/otlp logs")
	})
}
