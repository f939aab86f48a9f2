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
	for service, key := range map[string]string{"shop": "order.id", "Größe: 7": "a: b", "x$y": "#k", "- {": "yes"} {
		pack, err := conventions.Parse("ids.yaml", []byte(IDs(service, key)))
		require.NoError(t, err, service)
		namer := naming.New([]*conventions.Pack{pack}, naming.Options{Prefix: conventions.MetricPrefix})
		owner := namer.Owner(func(of string) (string, bool) { return service, of == "service.name" }, "")
		require.True(t, owner.Owned(), service)
		assert.Equal(t, "http.requests", namer.Metric(owner, "http.requests").Name)
		series := namer.Series(owner, "", "http.requests")
		_, id := series.ID(key)
		assert.True(t, id, key)
	}
}

// TestNoIDs checks the services and keys that no pack can select.
func TestNoIDs(t *testing.T) {
	assert.Empty(t, IDs("unknown", "k"))
	assert.Empty(t, IDs("*", "k"))
	assert.Empty(t, IDs("shop", ""))
	assert.Empty(t, IDs("shop", "\xff"))
}
