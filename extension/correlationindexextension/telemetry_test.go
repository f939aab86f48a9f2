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

// What members and keys take.
const slotSize, entrySize = 72, 4

func one(value int64) []metricdata.DataPoint[int64] {
	return []metricdata.DataPoint[int64]{{Value: value}}
}

func TestMetricsOfMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index, telemetry := startMeasured(t, with(func(cfg *Config) { cfg.MaxMemoryMib = 1 }))
		read := func(members, memory, evicted int64) {
			t.Helper()
			ignoreTime := metricdatatest.IgnoreTimestamp()
			metadatatest.AssertEqualCorrelationIndexMembers(t, telemetry, one(members), ignoreTime)
			metadatatest.AssertEqualCorrelationIndexMemory(t, telemetry, one(memory), ignoreTime)
			metadatatest.AssertEqualCorrelationIndexEvicted(t, telemetry, one(evicted), ignoreTime)
		}
		read(0, 0, 0)
		indextest.All(t, index, indextest.Join(1, 1), indextest.Join(1, 2), indextest.Join(2, 1))
		read(3, 3*slotSize+2*entrySize, 0)
		indextest.All(t, index, indextest.Join(1, 3), indextest.Join(1, 4), indextest.Join(1, 5))
		read(1, 5*slotSize+2*entrySize, 0)
		metadatatest.AssertEqualCorrelationIndexPoisoned(t, telemetry, one(1), metricdatatest.IgnoreTimestamp())
		time.Sleep(10*time.Minute + time.Second)
		read(0, 0, 0)

		m := index.(*memory)
		indextest.Fill(t, index, 20_000)
		room := m.Members()
		indextest.Fill(t, index, uint64(2*room))
		read(room, room*(slotSize+entrySize), m.Evicted())
		assert.Equal(t, int64(12_736), room, "of 72 bytes, and the table")
	})
}

func TestMetricsOfRedis(t *testing.T) {
	s := newServer(t, "--port")
	index, telemetry := startMeasured(t, with(func(cfg *Config) {
		cfg.Backend = backendRedis
		cfg.Redis.Endpoint = s.address
		cfg.Redis.Timeout = 2 * time.Second
	}))
	require.Error(t, tryRequest(t, index))
	require.Error(t, tryRequest(t, index))
	metadatatest.AssertEqualCorrelationIndexFailures(t, telemetry, one(2), metricdatatest.IgnoreTimestamp())
	s.start()
	require.Eventually(t, func() bool { return tryRequest(t, index) == nil }, 10*time.Second, 10*time.Millisecond)
	indextest.All(t, index, indextest.Join(1, 1), indextest.Join(1, 2), indextest.Join(1, 3), indextest.Join(1, 4), indextest.Join(1, 5))
	metadatatest.AssertEqualCorrelationIndexPoisoned(t, telemetry, one(1), metricdatatest.IgnoreTimestamp())
}
