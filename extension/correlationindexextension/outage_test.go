// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// startLogged is startAlone with the messages that were logged.
func startLogged(t *testing.T, address string, timeout time.Duration) (*shared, func() []string) {
	core, logs := observer.New(zap.InfoLevel)
	set := extensiontest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	e, err := NewFactory().Create(t.Context(), set, with(func(cfg *Config) {
		cfg.Backend = backendRedis
		cfg.Redis.Endpoint, cfg.Redis.Timeout = address, timeout
	}))
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.WithoutCancel(t.Context()))) })
	return e.(*shared), func() (messages []string) {
		for _, entry := range logs.All() {
			messages = append(messages, entry.Message)
		}
		return messages
	}
}

const (
	wentAway = "Redis is away; nothing is linked until it is back"
	cameBack = "Redis is back"
)

func known(index *shared) func() bool {
	return func() bool { _, ok := index.Seed(); return ok }
}

func TestServerIsKilledAndStarted(t *testing.T) {
	s := startServer(t)
	index, logged := startLogged(t, s.address, 2*time.Second)
	require.Eventually(t, known(index), 10*time.Second, time.Millisecond)
	seed, _ := index.Seed()
	indextest.One(t, index, indextest.Join(1, 1))

	s.kill()
	require.Error(t, tryRequest(t, index))
	require.ErrorContains(t, tryRequest(t, index), "redis is away")
	assert.Equal(t, []string{wentAway}, logged())
	again, ok := index.Seed()
	assert.True(t, ok, "it is known until another is")
	assert.Equal(t, seed, again)

	s.start()
	require.Eventually(t, func() bool { return tryRequest(t, index) == nil }, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, []string{wentAway, cameBack}, logged())
	again, _ = index.Seed()
	assert.Equal(t, seed, again, "a server without data gets it back")
	assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Look(1))))
}

func tryRequest(t *testing.T, index correlation.Index) error {
	return index.Do(t.Context(), []correlation.Request{indextest.Look(1)}, indextest.Ignore)
}

func TestServerIsNotThereAtFirst(t *testing.T) {
	s := newServer(t, "--port")
	index, logged := startLogged(t, s.address, 2*time.Second)
	assert.False(t, known(index)())
	require.Eventually(t, func() bool { return len(logged()) > 0 }, 10*time.Second, time.Millisecond)
	assert.False(t, known(index)())
	s.start()
	require.Eventually(t, known(index), 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Join(1, 1))))
	assert.Equal(t, []string{wentAway, cameBack}, logged())
}

func TestServerThatNeverAnswers(t *testing.T) {
	const timeout, slack = 500 * time.Millisecond, time.Second
	address := silentServer(t)
	begun := time.Now()
	index, logged := startLogged(t, address, timeout)
	assert.Less(t, time.Since(begun), timeout+slack, "the start waits no longer than a batch")
	waited := 0
	for range 100 {
		begun := time.Now()
		require.Error(t, tryRequest(t, index))
		took := time.Since(begun)
		assert.Less(t, took, timeout+slack)
		if took > timeout/2 {
			waited++
		}
	}
	assert.LessOrEqual(t, waited, 2, "after a failure nobody waits")
	assert.Equal(t, []string{wentAway}, logged())
}
