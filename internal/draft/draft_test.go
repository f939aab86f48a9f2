// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// shop returns the report of testdata/shop.json, of a service with something of everything.
func shop(t *testing.T) *conformance.Report {
	t.Helper()
	text, err := os.ReadFile("testdata/shop.json")
	require.NoError(t, err)
	var r conformance.Report
	require.NoError(t, json.Unmarshal(text, &r))
	return &r
}

func TestPack(t *testing.T) {
	text, err := Pack(shop(t), "shop")
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
	r := shop(t)
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
		r := shop(t)
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
