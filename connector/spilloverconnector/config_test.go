// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/metadata"
)

func TestErrorsNameKeyRuleAndValue(t *testing.T) {
	f := func(change func(*Config), want string) {
		t.Helper()
		cfg := createDefaultConfig().(*Config)
		require.NoError(t, cfg.Validate())
		change(cfg)
		assert.EqualError(t, confmap.Validate(cfg), want)
	}
	f(func(c *Config) { c.Patience = 0 }, "patience: must be positive (got 0s)")
	f(func(c *Config) { c.NumConsumers = 0 }, "num_consumers: must be from 1 to 1000 (got 0)")
	f(func(c *Config) { c.QueueSize = 100 }, "queue_size: must be at least twice batch::max_size, 4194304 (got 100)")
	f(func(c *Config) { c.Batch.FlushTimeout = -1 }, "batch: flush_timeout: must not be negative (got -1ns)")
	f(func(c *Config) { c.Batch.MinSize = 0 }, "batch: min_size: must be at least 1 (got 0)")
	f(func(c *Config) { c.Batch.MaxSize = 7 }, "batch::max_size: must be at least batch::min_size, 524288 (got 7)")
	f(func(c *Config) { c.MinFree = -1 }, "min_free: must not be negative (got -1)")
	f(func(c *Config) { c.DeadLetterSize = -1 }, "dead_letter_size: must not be negative (got -1)")
}

func TestWithoutADirectory(t *testing.T) {
	_, err := NewFactory().CreateTracesToTraces(t.Context(), connectortest.NewNopSettings(metadata.Type), createDefaultConfig(), consumertest.NewNop())
	assert.ErrorIs(t, err, errNoDirectory)
}
