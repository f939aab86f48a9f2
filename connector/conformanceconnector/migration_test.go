// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// TestMigrationEnds checks that a copy whose day comes is found, and that no copy is blamed for its name.
func TestMigrationEnds(t *testing.T) {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for _, c := range []struct {
		until string
		found bool
	}{
		{"", false}, {"soon", false},
		{today.AddDate(0, 0, 31).Format(time.DateOnly), false},
		{today.AddDate(0, 0, 29).Format(time.DateOnly), true},
		{today.AddDate(0, 0, 1).Format(time.DateOnly), true},
		{today.Format(time.DateOnly), false},
	} {
		s := newTestState(t, nil)
		md := pmetric.NewMetrics()
		for range 2 {
			gauge(md, "shop", "shop.orders", "k", "v")
		}
		for _, rm := range md.ResourceMetrics().All() {
			metadata := rm.ScopeMetrics().At(0).Metrics().At(0).Metadata()
			metadata.PutStr(naming.CopyOfKey, "tc_shop_orders")
			if c.until != "" {
				metadata.PutStr(naming.CopyUntilKey, c.until)
			}
		}
		gauge(md, "shop", "tc_shop_orders", "k", "v")
		s.judgeMetrics(context.Background(), md)
		r := s.now()
		var found []conformance.Finding
		for _, f := range r.Findings {
			if f.Signal == "metrics" {
				found = append(found, f)
			}
		}
		for _, score := range serviceOf(t, r, "shop").Scores {
			assert.Equal(t, score.Checked, score.Conformant, score.Signal)
		}
		if !c.found {
			assert.Empty(t, found, c.until)
			continue
		}
		assert.Len(t, found, 1, c.until)
		assert.Equal(t, "migration_ends", found[0].Rule)
		assert.Equal(t, "shop.orders", found[0].Original)
		assert.Equal(t, "use tc_shop_orders: this name ends on "+c.until, found[0].Suggestion)
		assert.EqualValues(t, 2, found[0].Total)
	}
}
