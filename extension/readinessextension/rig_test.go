// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"

	"github.com/otelcol-tc/otelcol-tc/extension/readinessextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/extension/readinessextension/internal/metadatatest"
)

// rig is an extension without its server. The test writes the metrics page.
type rig struct {
	*readiness
	mu   sync.Mutex
	text string // guarded by mu; empty means no page
}

func newRig(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	telemetry := componenttest.NewTelemetry()
	set := metadatatest.NewSettings(telemetry)
	builder, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	require.NoError(t, err)
	cfg := defaultConfig().(*Config)
	change(cfg)
	r := &rig{readiness: newReadiness(set, cfg, builder)}
	r.fetch = func(context.Context, string) (map[string]*dto.MetricFamily, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.text == "" {
			return nil, errors.New("connection refused")
		}
		return parse(t, r.text), nil
	}
	t.Cleanup(func() {
		ended := context.WithoutCancel(t.Context())
		require.NoError(t, r.Shutdown(ended))
		require.NoError(t, telemetry.Shutdown(ended))
	})
	return r
}

func (r *rig) page(lines ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = strings.Join(append(lines, "otelcol_process_uptime 1\n"), "\n")
}

func (r *rig) noPage() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = ""
}

func (r *rig) configure(t *testing.T, text string) {
	t.Helper()
	snapshot := extensioncapabilities.NewConfigSnapshot(configuration(t, text), nil)
	require.NoError(t, r.NotifyConfigSnapshot(t.Context(), snapshot))
}

// ask returns the status and the keys of the conditions in the answer.
func (r *rig) ask(t *testing.T) (status int, keys []string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	newHandler(r.conditions).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	for _, c := range r.conditions() {
		keys = append(keys, strings.TrimSpace(c.key()))
	}
	return recorder.Code, keys
}

// configuration parses a configuration as the collector does.
func configuration(t *testing.T, text string) *confmap.Conf {
	t.Helper()
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:              []string{"yaml:" + text},
		ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), yamlprovider.NewFactory()},
	})
	require.NoError(t, err)
	conf, err := resolver.Resolve(t.Context())
	require.NoError(t, err)
	return conf
}

func parse(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	require.NoError(t, err)
	return families
}

// realPage is a metrics page of otelcol-tc with one exporter that sends, one whose backend is down and one
// whose backend answers 400.
func realPage(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	text, err := os.ReadFile("testdata/page.txt")
	require.NoError(t, err)
	return parse(t, string(text))
}
