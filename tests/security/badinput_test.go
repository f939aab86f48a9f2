// SPDX-License-Identifier: Apache-2.0

package security

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// deepestMemoryBound is for the deepest nesting that the size limit lets in: it
// is decoded before the memory limiter can see it.
const deepestMemoryBound = 1024 * collectortest.MiB

func TestBadInputOverHTTP(t *testing.T) {
	c := collectortest.Start(t, collectortest.Options{})
	c.ResetPeakRSS(t)
	f := func(name, path string, body []byte, encoding string, wantStatus int) {
		t.Helper()
		before, sent := requestsOverHTTP(t, c, wantStatus), time.Now()
		assert.Equal(t, wantStatus, collectortest.Post(t, c, path, body, encoding), name)
		collectortest.Within(t, time.Since(sent), 5*time.Second, name)
		// Counted when the answer is already on its way.
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			got := requestsOverHTTP(t, c, wantStatus) - before
			return got == 1, fmt.Sprintf("%s: %v requests counted as %d, want 1", name, got, wantStatus)
		})
		collectortest.RequireSpanPasses(t, c)
	}
	f("invalid protobuf", "/v1/traces", []byte("\xff\xff\xff not protobuf"), "", collectortest.Refused)
	f("not gzip", "/v1/traces", []byte("plain"), "gzip", collectortest.Refused)
	f("span name in invalid UTF-8", "/v1/traces", collectortest.OneSpan(t, func(span ptrace.Span) {
		span.SetName("Store\xff/\xc0\x80")
		span.Attributes().PutStr("tc.\xfe", "\xfe")
	}), "", collectortest.Accepted)
	f("10 000 attributes", "/v1/traces", collectortest.OneSpan(t, func(span ptrace.Span) {
		span.SetName("Store/Put")
		for i := range 10_000 {
			span.Attributes().PutStr("tc.attribute."+strconv.Itoa(i), "value")
		}
	}), "", collectortest.Accepted)
	f("60 000 attributes that get other keys", "/v1/traces", collectortest.OneSpan(t, func(span ptrace.Span) {
		var attributes xpdata.MapBuilder
		for i := range 60_000 {
			attributes.AppendEmpty("tc.A" + strconv.Itoa(i)).SetInt(1)
		}
		attributes.UnsafeIntoMap(span.Attributes())
	}), "", collectortest.Accepted)
	f("empty names", "/v1/traces", collectortest.OneSpan(t, func(span ptrace.Span) {
		span.Attributes().PutStr("", "")
	}), "", collectortest.Accepted)
	f("span name of ids that is as long as a body can be", "/v1/traces", collectortest.OneSpan(t, func(span ptrace.Span) {
		span.SetName(strings.Repeat("8f3a ", 39*collectortest.MiB/50))
	}), "", collectortest.Accepted)
	f("metric name of 1 MiB", "/v1/metrics", oneGauge(t, strings.Repeat("aB::", collectortest.MiB/4), "label"), "", collectortest.Accepted)
	f("metric name in invalid UTF-8", "/v1/metrics", oneGauge(t, "tc_\xff", "label"), "", collectortest.Accepted)
	f("label name in invalid UTF-8", "/v1/metrics", oneGauge(t, "tc_bad_label", "\xff"), "", collectortest.Accepted)
	f("empty metric name", "/v1/metrics", oneGauge(t, "", "label"), "", collectortest.Accepted)
	f("empty label name", "/v1/metrics", oneGauge(t, "tc_empty_label", ""), "", collectortest.Accepted)

	// One series that Prometheus cannot hold must not take the page with it.
	f("good metric", "/v1/metrics", oneGauge(t, "tc_good", "label"), "", collectortest.Accepted)
	assert.Equal(t, 1.0, collectortest.Sum(c.Scrape(t)["tc_good"], map[string]string{"label": "value"}))

	c.PeakRSSWithin(t, collectortest.MemoryBound)
	assert.Equal(t, 0, c.Stop(t).Code)
}

// The collector's decoder refuses this kind of body. Up to 0.164 it overflowed the stack with the
// stock limit of 20 MiB, and the process ended.
func TestDeepestNestingThatFitsIsSurvived(t *testing.T) {
	// By the limit on bodies alone.
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev",
		"yaml:receivers::otlp::protocols: {http: {middlewares: []}, grpc: {middlewares: []}}"}})
	c.ResetPeakRSS(t)
	body := payload.NestedValues(470_000)
	require.Greater(t, len(body), 39*collectortest.MiB/10, "just below the limit of 4 MiB")

	assert.Equal(t, http.StatusBadRequest, collectortest.Post(t, c, "/v1/traces", body, ""))
	collectortest.RequireSpanPasses(t, c)
	c.PeakRSSWithin(t, deepestMemoryBound)
	assert.Equal(t, 0, c.Stop(t).Code)
}

// requestsOverHTTP returns how many requests the OTLP receiver says it has answered
// so. Not by path: a body that cannot be decompressed is refused before routing.
func requestsOverHTTP(t *testing.T, c *collectortest.Collector, wantStatus int) float64 {
	t.Helper()
	_, port, err := net.SplitHostPort(c.HTTP)
	require.NoError(t, err)
	return collectortest.Sum(c.SelfMetrics(t)["http_server_request_duration"], map[string]string{
		"server_port":               port,
		"http_response_status_code": strconv.Itoa(wantStatus),
	})
}

// oneGauge returns an export request of one point with one label.
func oneGauge(t *testing.T, name, label string) []byte {
	t.Helper()
	metrics := pmetric.NewMetrics()
	metric := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	metric.SetName(name)
	point := metric.SetEmptyGauge().DataPoints().AppendEmpty()
	point.SetIntValue(1)
	point.Attributes().PutStr(label, "value")
	body, err := pmetricotlp.NewExportRequestFromMetrics(metrics).MarshalProto()
	require.NoError(t, err)
	return body
}

// JSON that is not UTF-8 is the client's fault. In protobuf such a text passes, as with the stock
// receiver.
func TestJSONThatIsNotUTF8IsRefused(t *testing.T) {
	f := func(name string, configs ...string) {
		t.Run(name, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			for _, text := range []string{"\xff", "\xe2\x82", "\xed\xa0\x80"} {
				inJSON := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"` + text + `"}]}]}]}`
				assert.Equal(t, collectortest.Refused, postJSON(t, c, []byte(inJSON)), "%q", text)
				body := collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName(text) })
				assert.Equal(t, collectortest.Accepted, collectortest.Post(t, c, "/v1/traces", body, ""), "%q", text)
				assert.Equal(t, codes.OK, collectortest.DialRaw(t, c).ExportRaw(t, body), "%q", text)
			}
			assert.Equal(t, 3.0, refusedOnWire(t, c, "utf8", "http"))
			assert.Equal(t, collectortest.Accepted, postJSON(t, c, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"Größe €😀"}]}]}]}`)))
			assert.Zero(t, c.Stop(t).Code)
		})
	}
	f("agent", "builtin:agent", "builtin:fragments/agent-host")
	f("gateway", "builtin:gateway")
}
