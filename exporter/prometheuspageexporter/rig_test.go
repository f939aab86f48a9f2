// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// The formats that Prometheus requests.
const (
	textFormat     = "text/plain;version=0.0.4"
	openMetrics    = "application/openmetrics-text;version=1.0.0"
	protobufFormat = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

// served is an exporter with its page.
type served struct {
	exporter exporter.Metrics
	url      string
}

func serve(t *testing.T, change func(*Config)) *served {
	t.Helper()
	s, _, _ := observed(t, change)
	return s
}

func freeAddress(t testing.TB) string {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	return addresses[0]
}

func start(t testing.TB, e exporter.Metrics, address string) *served {
	t.Helper()
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
	return &served{exporter: e, url: "http://" + address + "/metrics"}
}

func (s *served) consume(t testing.TB, batch pmetric.Metrics) {
	t.Helper()
	copied := pmetric.NewMetrics() // the other exporter changes its batch
	batch.CopyTo(copied)
	require.NoError(t, s.exporter.ConsumeMetrics(t.Context(), copied))
}

func (s *served) get(t testing.TB, accept string) (header http.Header, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", body)
	return response.Header, body
}

// families reads the page as protobuf, which contains everything.
func (s *served) families(t testing.TB) map[string]*dto.MetricFamily {
	t.Helper()
	header, body := s.get(t, protobufFormat)
	decoder := expfmt.NewDecoder(strings.NewReader(string(body)), expfmt.ResponseFormat(header))
	families := map[string]*dto.MetricFamily{}
	for {
		family := &dto.MetricFamily{}
		err := decoder.Decode(family)
		if errors.Is(err, io.EOF) {
			return families
		}
		require.NoError(t, err)
		require.NotContains(t, families, family.GetName())
		families[family.GetName()] = family
	}
}

// lines returns the samples of the text format that contain a text, in order.
func (s *served) lines(t testing.TB, containing string) (lines []string) {
	t.Helper()
	_, body := s.get(t, textFormat)
	for line := range strings.Lines(string(body)) {
		if !strings.HasPrefix(line, "#") && strings.Contains(line, containing) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	slices.Sort(lines)
	return lines
}

// canonical returns a family in a form that can be compared: sorted, and without empty labels,
// which do not exist for Prometheus.
func canonical(family *dto.MetricFamily) []string {
	all := []string{fmt.Sprintf("%s %q", family.GetType(), family.GetHelp())}
	for _, metric := range family.GetMetric() {
		metric.Label = slices.DeleteFunc(metric.GetLabel(), func(l *dto.LabelPair) bool { return l.GetValue() == "" })
		sortLabels(metric.GetLabel())
		sortLabels(metric.GetCounter().GetExemplar().GetLabel())
		for _, bucket := range metric.GetHistogram().GetBucket() {
			sortLabels(bucket.GetExemplar().GetLabel())
		}
		for _, e := range metric.GetHistogram().GetExemplars() {
			sortLabels(e.GetLabel())
		}
		all = append(all, strings.ReplaceAll(metric.String(), "  ", " "))
	}
	slices.Sort(all[1:])
	return all
}

func sortLabels(all []*dto.LabelPair) {
	slices.SortFunc(all, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
}

// metrics creates a batch of one resource and scope.
func metrics(add func(pmetric.MetricSlice)) pmetric.Metrics {
	batch := pmetric.NewMetrics()
	rm := batch.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "shop")
	rm.Resource().Attributes().PutStr("service.instance.id", "shop-1")
	add(rm.ScopeMetrics().AppendEmpty().Metrics())
	return batch
}

// fromFile returns the metrics of a file, with values in place of the words that stand for them.
func fromFile(t testing.TB, name string, words ...string) pmetric.MetricSlice {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	batch, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics([]byte(strings.NewReplacer(words...).Replace(string(text))))
	require.NoError(t, err)
	return batch.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
}

// allTypes returns metrics of all types and units, with exemplars.
func allTypes(t testing.TB, second, value int) pmetric.MetricSlice {
	t.Helper()
	return fromFile(t, "all_types.json", "VALUE", fmt.Sprint(value), "START", fmt.Sprint(uint64(seconds(-60))), "TIME", fmt.Sprint(uint64(seconds(int64(second)))))
}

var someTime = time.Unix(1_750_000_000, 0)
