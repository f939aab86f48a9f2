// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// stage is the page of a real collector with a report that the test makes.
type stage struct {
	address string // with a slash at its end
	host    string
	report  atomic.Pointer[conformance.Report]
}

func newStage(t *testing.T, report *conformance.Report) *stage {
	t.Helper()
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev"}})
	page := &url.URL{Scheme: "http", Host: c.Page}
	s := &stage{}
	s.report.Store(report)
	mux := http.NewServeMux()
	mux.Handle("/", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(page) }})
	mux.HandleFunc("/api/v1/report", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(s.report.Load()) //nolint:errcheck // the browser has gone
	})
	s.host = collectortest.Serve(t, mux)
	s.address = "http://" + s.host + "/"
	return s
}

const (
	dropSession  = "processors:\n  cardinality:\n    overrides:\n      - metric: \"http_requests\"\n        drop_attributes: [session.id]\n"
	limitSession = "processors:\n  cardinality:\n    attribute_limits:\n      session.id: 50\n"
)

// manyFindings is how many findings a report has at most, by default.
const manyFindings = 1000

// bigReport returns a report with a metric whose series one attribute makes, many other metrics, hostile names
// everywhere, and as many findings as there can be.
func bigReport(t *testing.T) *conformance.Report {
	t.Helper()
	at := time.Now()
	owned := conformance.Part{Checked: 100, Conformant: 90, Share: 0.9}
	r := &conformance.Report{
		At: at, Since: at.Add(-time.Hour), Interval: time.Hour, Prefix: "tc_", OneIn: 1,
		URLs: conformance.URLs{
			Trace:  "https://tempo.example/trace/{trace_id}",
			Logs:   "https://loki.example/logs?query={service}",
			Metric: "https://metrics.example/{service}/{metric}",
		},
		LogSources: []conformance.LogSource{
			{Service: "checkout", Name: "checkout.log", Records: 100, WithTrace: 10, InAttributes: 30, File: true, NoFormat: 20, Shape: "[9] a: a"},
			{Service: "silent", Name: "main", Records: 5},
			{Service: "cart", Name: "app", Records: 5, WithTrace: 5, WithSpan: 5},
		},
	}
	for _, name := range append([]string{"checkout", "cart", "silent"}, hostileNames...) {
		r.Services = append(r.Services, conformance.Service{
			Name: name, Since: at, Series: 10, Spans: 7,
			Scores: []conformance.Score{{Signal: "metrics", Part: owned, Owned: owned}},
		})
	}
	r.Services[2].Spans = 0
	r.Explorer = conformance.Explorer{
		Shared: true, NotShown: 17,
		Saved: conformance.Saved{Series: 3999, PointsPerDay: 1.23e6, BytesPerDay: 4.5e9, MoneyPerDay: 12.3456, Currency: "EUR"},
		Metrics: []conformance.Cost{{
			Service: "checkout", Name: "http_requests", Processor: "cardinality", Limit: 2000,
			In:     conformance.Amount{Series: 6000, Points: 600, Bytes: 60_000},
			Out:    conformance.Amount{Series: 2001, Points: 201, Bytes: 20_100},
			Folded: map[string]int{"limit": 3999},
			Attributes: []conformance.CostAttribute{
				{
					Key: "session.id", Values: 6000, Samples: append([]string{"s-1", "s-2"}, hostileNames...), Without: 12,
					Fixes: []conformance.Fix{{Kind: conformance.FixDrop, YAML: dropSession, Series: 12}, {Kind: conformance.FixLimitValues, YAML: limitSession, Series: 600}},
				},
				{Key: "method", Values: 4, Exact: true, Samples: []string{"GET"}, Without: 5900},
			},
			Culprit: &conformance.Culprit{Keys: []string{"session.id"}, Left: 12},
			History: []conformance.SeriesAt{{In: 10, Out: 10}, {In: 3000, Out: 2001}, {In: 6000, Out: 2001}},
		}, {
			Service: "cart", Name: "items", Processor: "cardinality", Limit: 2000,
			In: conformance.Amount{Series: 900, Points: 9}, Out: conformance.Amount{Series: 9, Points: 9},
			Folded:     map[string]int{"attribute": 891},
			Attributes: []conformance.CostAttribute{{Key: "user.id", Values: 100, Removed: "pack", Without: 9}, {Key: "kind", Values: 9, Without: 3}},
			Culprit:    &conformance.Culprit{Keys: []string{"user.id"}, Removed: "pack", Left: 9},
		}},
	}
	for i := range 200 {
		r.Explorer.Metrics = append(r.Explorer.Metrics, conformance.Cost{
			Service: fmt.Sprintf("service-%03d", i%50), Name: fmt.Sprintf("metric_%03d", i), Processor: "cardinality", Limit: 2000,
			In: conformance.Amount{Series: 200 - i}, Out: conformance.Amount{Series: 200 - i},
		})
	}
	r.Explorer.Metrics[3].NotFollowed = "there is no room"
	for _, name := range hostileNames {
		r.Explorer.Metrics = append(r.Explorer.Metrics, conformance.Cost{
			Service: name, Name: name, Processor: name, In: conformance.Amount{Series: 2}, Out: conformance.Amount{Series: 2},
			Folded:      map[string]int{name: 1},
			Culprit:     &conformance.Culprit{Keys: []string{name}, Left: 1},
			NotFollowed: name,
			Attributes: []conformance.CostAttribute{{
				Key: name, Samples: hostileNames, Without: 1, Fixes: []conformance.Fix{{Kind: name, YAML: name, Series: 1}},
			}},
		})
		r.Findings = append(r.Findings, conformance.Finding{
			Rule: "near_budget", Level: "violation", Reason: name, Signal: "metrics", Service: name, System: name, Original: name, Paste: name, TraceID: name, Total: 9, Since: at,
		})
	}
	r.Findings = append(r.Findings, conformance.Finding{
		Rule: "renamed", Level: "information", Reason: "an earlier component made the name conformant", Naming: "span_ids", Signal: "traces",
		Service: "checkout", System: "tuft", Name: true, Original: "GET /orders/4711", Suggestion: "shop/get", Total: 3, Since: at,
	}, conformance.Finding{
		Rule: "span_code", Level: "violation", Reason: "the name is that of code", Signal: "traces", Service: "checkout", System: "none", Name: true,
		Original: "doCheckout", Suggestion: "checkout/do_checkout", Paste: "spans:\n  rules: []\n", TraceID: "0af7651916cd43dd8448eb211c80319c", Total: 2, Since: at,
	})
	levels := []string{"violation", "improvement", "information"}
	for i := len(r.Findings); i < manyFindings; i++ {
		r.Findings = append(r.Findings, conformance.Finding{
			Rule: fmt.Sprintf("rule_%d", i%17), Level: levels[i%3], Reason: "it is so", Signal: "metrics", Service: fmt.Sprintf("service-%03d", i%50),
			Original: fmt.Sprintf("a.metric.with.a.name.of.its.own.%04d.%s", i, strings.Repeat("x", i%80)), Total: int64(manyFindings - i), Since: at,
		})
	}
	require.Len(t, r.Findings, manyFindings)
	return r
}
