// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// TestIDs checks that the pack is valid, owns the service, drops the attribute and keeps the names.
func TestIDs(t *testing.T) {
	for service, key := range map[string]string{"shop": "order.id", "Größe: 7": "a: b", "x$y": "#k", "- {": "yes", "true": "k", "null": "<<", "NaN": "="} {
		pack, err := conventions.Parse("ids.yaml", []byte(IDs(service, key, naming.Unowned{})))
		require.NoError(t, err, service)
		namer := naming.New([]*conventions.Pack{pack}, naming.Options{Prefix: conventions.MetricPrefix})
		owner := namer.Owner(func(key string) (string, bool) { return service, key == "service.name" }, "")
		require.True(t, owner.Owned(), service)
		assert.Equal(t, "http.requests", namer.Metric(owner, "http.requests").Name)
		series := namer.Series(owner, "", "http.requests")
		_, id := series.ID(key)
		assert.True(t, id, key)
	}
}

// TestNoIDs checks the services and keys that no pack can select.
func TestNoIDs(t *testing.T) {
	assert.Empty(t, IDs("unknown", "k", naming.Unowned{}))
	assert.Empty(t, IDs("*", "k", naming.Unowned{}))
	assert.Empty(t, IDs("shop", "", naming.Unowned{}))
	assert.Empty(t, IDs("shop", "\xff", naming.Unowned{}))
}

// TestIDsKeepRepairs checks that the pack changes no name of a service, whatever is repaired without it.
func TestIDsKeepRepairs(t *testing.T) {
	for _, repairs := range []naming.Unowned{{}, naming.RepairAll, {Metrics: true}} {
		text := IDs("shop", "order.id", repairs)
		if repairs == (naming.Unowned{Metrics: true}) {
			assert.Empty(t, text, "no pack repairs the names of metrics only")
			continue
		}
		pack, err := conventions.Parse("ids.yaml", []byte(text))
		require.NoError(t, err, text)
		lookup := func(key string) (string, bool) { return "shop", key == "service.name" }
		options := naming.Options{Prefix: conventions.MetricPrefix, Unowned: repairs}
		before, after := naming.New(nil, options), naming.New([]*conventions.Pack{pack}, options)
		owner := after.Owner(lookup, "")
		require.True(t, owner.Owned())
		for _, name := range []string{"My.Metric-Name", "tc_orders", "http.server.duration", "GET /orders/17"} {
			assert.Equal(t, before.Metric(before.Owner(lookup, ""), name).Name, after.Metric(owner, name).Name)
			unowned := naming.Context{Service: "shop"}
			assert.Equal(t, before.Span(unowned, naming.Facts{}, name).Name, after.Span(naming.Context{Service: "shop", Owner: owner}, naming.Facts{}, name).Name)
		}
	}
}
