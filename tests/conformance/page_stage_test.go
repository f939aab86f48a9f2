// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
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

// manyFindings is how many findings a report has at most, by default.
const manyFindings = 1000

// bigReport returns a report with a metric whose series one attribute makes, many other metrics, hostile names
// everywhere, and as many findings as there can be.
func bigReport(t *testing.T) *conformance.Report {
	t.Helper()
	at := time.Now()
	text, err := os.ReadFile("testdata/report.json")
	require.NoError(t, err)
	r := &conformance.Report{}
	require.NoError(t, json.Unmarshal(text, r))
	r.At, r.Since = at, at.Add(-time.Hour)
	for _, name := range hostileNames {
		hostile := r.Services[0]
		hostile.Name = name
		r.Services = append(r.Services, hostile)
	}
	for i := range r.Services {
		r.Services[i].Since = at
	}
	session := &r.Explorer.Metrics[0].Attributes[0]
	session.Samples = append(session.Samples, hostileNames...)
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
