// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// shop is the report of a service with something of everything.
func shop() *conformance.Report {
	finding := func(signal, rule, original, suggestion string) conformance.Finding {
		return conformance.Finding{Service: "shop", System: "none", Unowned: true, Signal: signal, Rule: rule, Original: original, Suggestion: suggestion, Total: 3}
	}
	renamed := finding("metrics", "renamed", "shop.returns", "tc_shop_returns")
	renamed.Naming = "metric_general"
	return &conformance.Report{
		At: time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC), Prefix: "tc_",
		Services: []conformance.Service{{Name: "shop"}, {Name: "till"}},
		Metrics: []conformance.Metric{
			{Service: "shop", Name: "shop.orders", Type: conformance.TypeCounter, Unit: "orders", Series: 5000, Merged: 4, Attributes: []conformance.MetricAttribute{
				{Key: "order.id", Values: 4813, ID: conformance.IDSuspected}, {Key: "till", Values: 4, Exact: true},
			}},
			{Service: "shop", Name: "shop.queue", Type: conformance.TypeGauge, Series: 300, Merged: 1, Attributes: []conformance.MetricAttribute{
				{Key: "order.id", Values: 300, ID: conformance.IDSuspected},
			}},
			{Service: "shop", Name: "shop.heap", Type: conformance.TypeGauge, Unit: "bytes", Series: 1},
			{Service: "shop", Name: "tc_shop_returns_total", Type: conformance.TypeGauge, Series: 1},
			{Service: "till", Name: "till.orders", Type: conformance.TypeGauge, Series: 1},
		},
		Findings: []conformance.Finding{
			finding("metrics", "metric_general", "shop.orders", "tc_shop_orders"),
			finding("metrics", "metric_general", "shop.queue", "tc_shop_queue"),
			finding("metrics", "metric_general", "shop.heap", "tc_shop_heap"),
			renamed,
			finding("metrics", "unnameable", "---", ""),
			finding("metrics", "near_budget", "shop.orders", ""),
			finding("traces", "span_code", "ledger.take_order", "Ledger/TakeOrder"),
			finding("traces", "span_text", "take order 4711", "Shop/TakeOrder"),
			finding("attributes", "attribute_form", "tc.OrderKind", "tc.order_kind"),
		},
		LogSources: []conformance.LogSource{
			{Service: "shop", Name: "shop.log", Records: 10, WithTrace: 2, File: true, NoFormat: 8, Shape: "0/0/0 0:0 - a a a"},
			{Service: "till", Name: "till.log", Records: 10, File: true},
		},
	}
}

func TestPack(t *testing.T) {
	text, err := Pack(shop(), "shop")
	require.NoError(t, err)
	testfiles.Golden(t, "testdata/shop.yaml", text)

	pack, err := conventions.Parse("shop.yaml", []byte(text))
	require.NoError(t, err)
	namer := naming.New([]*conventions.Pack{pack}, naming.Options{Prefix: "tc_"})
	owner := namer.Owner(func(key string) (string, bool) { return "shop", key == "service.name" }, "")
	require.NotNil(t, owner)
	assert.Equal(t, "tc_shop_orders", namer.Metric(owner, "shop.orders").Name)
	_, id := namer.Series(owner, "shop.orders", "tc_shop_orders").ID("order.id")
	assert.True(t, id)
}

func TestErrors(t *testing.T) {
	r := shop()
	r.Services = append(r.Services, conformance.Service{Name: "other"}, conformance.Service{Name: "unknown"})
	for service, want := range map[string]string{
		"nobody": `service: the report has no service "nobody"`, "other": "service: other stands for several services", "unknown": "service: nothing in the report selects",
	} {
		_, err := Pack(r, service)
		assert.ErrorContains(t, err, want)
	}
}

// A name with a star is not written as one that selects other services.
func TestPackOwnsNoOtherService(t *testing.T) {
	for _, service := range []string{"*", "shop*", "\ufffd"} {
		r := shop()
		r.Services = append(r.Services, conformance.Service{Name: service})
		_, err := Pack(r, service)
		require.ErrorContains(t, err, "service: nothing in the report selects", service)
		for i := range r.Findings {
			r.Findings[i].Service = service
		}
		text, err := Pack(r, service)
		require.NoError(t, err)
		pack, err := conventions.Parse("p.yaml", []byte(text))
		require.NoError(t, err)
		assert.Empty(t, pack.Owns.Resource, text)
	}
}

func TestSystem(t *testing.T) {
	for service, want := range map[string]string{
		"shop": "shop", "Shop-API v2": "shop_api_v2", "7-eleven": "service_7_eleven", "größe": "gr_e", "处理": "service", "tuft": "tuft_draft", "none": "none_draft", "builtin": "builtin_draft",
	} {
		assert.Equal(t, want, system(service))
	}
}
