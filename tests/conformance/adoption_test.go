// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// newcomer is a service that no pack knows.
const newcomer = "shop-api"

// withConventions returns a configuration with settings of the conventions extension.
func withConventions(settings string) string {
	return fmt.Sprintf(`yaml:{
		extensions: {conventions: %s},
		connectors: {conformance: {interval: 1s, window: 1s}}}`, settings)
}

// sendNewcomer sends what a program sends whose authors know nothing of the convention.
func sendNewcomer(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	sent := payload.Read(t, "testdata/newcomer", time.Now())
	payload.AddCounter(sent.Metrics, newcomer, "shop.ordersTaken", payload.Timestamp(), 150, 1, func(i int) map[string]any {
		return map[string]any{"order.id": uuid.NewSHA1(uuid.NameSpaceOID, []byte(strconv.Itoa(i))).String(), "till": strconv.Itoa(i % 3)}
	})
	sent.Post(t, c)
}

// get returns what the page's server has at a path.
func get(t *testing.T, c *collectortest.Collector, path string) (status int, body []byte) {
	t.Helper()
	response, err := http.Get("http://" + c.Page + path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, response.Body.Close()) }()
	body, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, body
}

// reportOf waits for a report that has all signals of the newcomer.
func reportOf(t *testing.T, c *collectortest.Collector) (r *conformance.Report, s *conformance.Service) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		r = collectortest.ConformanceReport(t, c)
		s = r.Service(newcomer)
		return s != nil && len(s.Scores) == 4, fmt.Sprintf("%+v", s)
	})
	return r, s
}

// requireConforms checks that all that the newcomer sends conforms, and counts as owned.
func requireConforms(t *testing.T, s *conformance.Service) {
	t.Helper()
	for _, score := range s.Scores {
		assert.Equal(t, score.Checked, score.Conformant, score.Signal)
		assert.Equal(t, score.Checked, score.Owned.Checked, score.Signal)
	}
	assert.False(t, s.Unowned)
	assert.Empty(t, s.Adopt)
}

// A service that no pack owns keeps its names, and the report says what adopts it. With that configuration
// everything conforms, and so it does with the draft of a pack.
func TestAdoption(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withConventions("{mode: audit}")}})
	sendNewcomer(t, c)
	r, s := reportOf(t, c)
	assert.True(t, s.Unowned)
	for _, score := range s.Scores {
		assert.Equal(t, score.Checked, score.Unowned.Checked, score.Signal)
	}
	found := map[string]string{}
	for _, f := range r.Findings {
		if f.Service == newcomer && f.Name {
			assert.True(t, f.Unowned, f.Original)
			assert.Equal(t, conformance.LevelInformation, f.Level)
			found[f.Original] = f.Suggestion
		}
	}
	assert.Equal(t, map[string]string{
		"shop.ordersTaken": "tc_shop_orders_taken", "shop.queue-length": "tc_shop_queue_length", "tc.QueueKind": "tc.queue_kind",
		"take order 4711": "ShopApi/TakeOrder", "ledger.charge_card": "Ledger/ChargeCard",
	}, found)
	for _, m := range r.Metrics {
		if m.Name == "shop.ordersTaken" {
			require.Len(t, m.Attributes, 2)
			id := m.Attributes[0]
			assert.Equal(t, "order.id", id.Key)
			assert.Equal(t, conformance.IDSuspected, id.ID)
			assert.InDelta(t, 150, id.Values, 40)
			assert.Equal(t, conformance.MetricAttribute{Key: "till", Values: 3, Exact: true}, m.Attributes[1])
			assert.Equal(t, 3, m.Merged)
		}
	}
	require.NotEmpty(t, r.Protected, "in audit mode too")
	assert.Equal(t, newcomer, r.Protected[0].Service)
	assert.EqualValues(t, 1, r.Protected[0].Total)
	assert.Equal(t, "redact", r.Protected[0].Action)
	assert.Equal(t, "extensions:\n  conventions:\n    services:\n      shop-api: {mode: enforce, unowned: repair}\n", s.Adopt)
	status, draft := get(t, c, "/api/v1/draft?service="+url.QueryEscape(newcomer))
	require.Equal(t, http.StatusOK, status)
	status, _ = get(t, c, "/api/v1/draft?service=nobody")
	assert.Equal(t, http.StatusNotFound, status)
	require.Zero(t, c.Stop(t).Code)
	for resource, metric := range collectortest.MetricsByResource(c.Metrics(t)) {
		if collectortest.ServiceName(resource) == newcomer {
			assert.Contains(t, []string{"shop.ordersTaken", "shop.queue-length"}, metric.Name(), "nothing changes")
		}
	}

	t.Run("by its configuration", func(t *testing.T) {
		t.Parallel()
		c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withConventions("{}"), "yaml:" + s.Adopt}})
		sendNewcomer(t, c)
		_, adopted := reportOf(t, c)
		requireConforms(t, adopted)
	})
	t.Run("by the draft of a pack", func(t *testing.T) {
		t.Parallel()
		_, err := conventions.Parse("draft.yaml", draft)
		require.NoError(t, err, string(draft))
		file := filepath.Join(t.TempDir(), "draft.yaml")
		require.NoError(t, os.WriteFile(file, draft, 0o644))
		c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withConventions(fmt.Sprintf("{packs: [%q, builtin]}", file))}})
		sendNewcomer(t, c)
		r, adopted := reportOf(t, c)
		requireConforms(t, adopted)
		for _, m := range r.Metrics {
			if m.Name == "tc_shop_orders_taken" {
				assert.Equal(t, 3, m.Series, "the series of ids are added up")
				assert.Equal(t, "shop_api", m.System)
			}
		}
	})
}
