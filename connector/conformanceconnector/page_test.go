// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
)

// TestPageLivesWithConnector checks that the page runs from the first start to the last shutdown of an
// instance, at the address that the log names.
func TestPageLivesWithConnector(t *testing.T) {
	cfg := defaultConfig().(*Config)
	cfg.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = "127.0.0.1:0"
	core, logs := observer.New(zap.InfoLevel)
	set, ctx := connectortest.NewNopSettings(metadata.Type), t.Context()
	set.Logger = zap.New(core)
	one, err := NewFactory().CreateTracesToLogs(ctx, set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	other, err := NewFactory().CreateLogsToLogs(ctx, set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, one.Start(ctx, componenttest.NewNopHost()))
	require.NoError(t, other.Start(ctx, componenttest.NewNopHost()))
	const begins = "The conformance page is at "
	said := logs.Filter(func(e observer.LoggedEntry) bool { return strings.HasPrefix(e.Message, begins) }).All()
	require.NotEmpty(t, said)
	address := strings.TrimPrefix(said[0].Message, begins)
	get := func() error {
		answer, err := http.Get(address)
		if err == nil {
			assert.Equal(t, http.StatusOK, answer.StatusCode)
			err = answer.Body.Close()
		}
		return err
	}
	assert.NoError(t, get())

	// Another connector with the same address fails, and its error names the setting.
	second := defaultConfig().(*Config)
	second.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = strings.Trim(strings.TrimPrefix(address, "http:"), "/")
	taken, err := NewFactory().CreateTracesToLogs(ctx, set, second, consumertest.NewNop())
	require.NoError(t, err)
	assert.ErrorContains(t, taken.Start(ctx, componenttest.NewNopHost()), "page: ")
	assert.NoError(t, taken.Shutdown(ctx))

	assert.NoError(t, one.Shutdown(context.Background()))
	assert.NoError(t, get())
	assert.NoError(t, other.Shutdown(context.Background()))
	assert.Error(t, get())
}
