// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadatatest"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// startMeasured starts an index whose metrics can be read.
func startMeasured(t *testing.T, cfg *Config) (correlation.Index, *componenttest.Telemetry) {
	telemetry := componenttest.NewTelemetry()
	e, err := NewFactory().Create(t.Context(), metadatatest.NewSettings(telemetry), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() {
		ended := context.WithoutCancel(t.Context())
		require.NoError(t, e.Shutdown(ended))
		require.NoError(t, telemetry.Shutdown(ended))
	})
	return e.(correlation.Index), telemetry
}

func one(value int64) []metricdata.DataPoint[int64] {
	return []metricdata.DataPoint[int64]{{Value: value}}
}

func TestMetricsOfMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index, telemetry := startMeasured(t, with(func(cfg *Config) { cfg.MaxMemoryMib = 1 }))
		m := index.(*memory)
		read := func(members, evicted int64) {
			t.Helper()
			ignoreTime := metricdatatest.IgnoreTimestamp()
			metadatatest.AssertEqualCorrelationIndexMembers(t, telemetry, one(members), ignoreTime)
			metadatatest.AssertEqualCorrelationIndexMemory(t, telemetry, one(m.Bytes()), ignoreTime)
			metadatatest.AssertEqualCorrelationIndexEvicted(t, telemetry, one(evicted), ignoreTime)
		}
		read(0, 0)
		indextest.All(t, index, indextest.Join(1, 1), indextest.Join(1, 2), indextest.Join(2, 1))
		read(3, 0)
		assert.Positive(t, m.Bytes())
		indextest.All(t, index, indextest.Join(1, 3), indextest.Join(1, 4), indextest.Join(1, 5))
		read(1, 0)
		metadatatest.AssertEqualCorrelationIndexPoisoned(t, telemetry, one(1), metricdatatest.IgnoreTimestamp())
		time.Sleep(10*time.Minute + time.Second)
		read(0, 0)
		assert.Zero(t, m.Bytes())

		// A full index evicts members, and takes at most 106 bytes a member.
		indextest.Fill(t, index, 40_000)
		read(m.Members(), m.Evicted())
		assert.Positive(t, m.Evicted())
		assert.LessOrEqual(t, m.Bytes(), min(106*m.Members(), 1<<20))
		assert.Greater(t, 106*m.Members(), int64(1_000_000))
	})
}

func TestMetricsOfRedis(t *testing.T) {
	s := newServer(t)
	index, telemetry := startMeasured(t, with(func(cfg *Config) {
		cfg.Backend = backendRedis
		cfg.Redis.Endpoint = s.Address
		cfg.Redis.Timeout = 2 * time.Second
	}))
	require.Error(t, tryRequest(t, index))
	require.Error(t, tryRequest(t, index))
	metadatatest.AssertEqualCorrelationIndexFailures(t, telemetry, one(2), metricdatatest.IgnoreTimestamp())
	s.start()
	require.Eventually(t, func() bool { return tryRequest(t, index) == nil }, time.Minute, 10*time.Millisecond)
	indextest.All(t, index, indextest.Join(1, 1), indextest.Join(1, 2), indextest.Join(1, 3), indextest.Join(1, 4), indextest.Join(1, 5))
	metadatatest.AssertEqualCorrelationIndexPoisoned(t, telemetry, one(1), metricdatatest.IgnoreTimestamp())
}
