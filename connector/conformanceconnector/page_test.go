// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
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

// knowing is a host whose conventions extension knows a receiver.
type knowing struct {
	component.StartFunc
	component.ShutdownFunc
	policy *policy.Policy
}

func (k knowing) Policy() *policy.Policy { return k.policy }

func (knowing) Receivers() []conformance.Receiver {
	return []conformance.Receiver{{ID: "otlp", Protocol: conformance.OverHTTP, Endpoint: "127.0.0.1:4318"}}
}

func (k knowing) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("conventions"): k}
}

// TestPageKnowsReceivers checks that the report has the collector's receivers before and after data came.
func TestPageKnowsReceivers(t *testing.T) {
	p, err := policy.New(*policy.NewDefaultConfig())
	require.NoError(t, err)
	for _, host := range []component.Host{knowing{policy: p}, componenttest.NewNopHost()} {
		want := []conformance.Receiver{}
		if k, ok := host.(knowing); ok {
			want = k.Receivers()
		}
		cfg := defaultConfig().(*Config)
		c, err := NewFactory().CreateTracesToLogs(t.Context(), connectortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
		require.NoError(t, err)
		require.NoError(t, c.Start(t.Context(), host))
		s := c.(*instance).hub.state
		assert.Equal(t, want, s.Report().Receivers)
		assert.Equal(t, want, s.report(time.Now(), false).Receivers)
		require.NoError(t, c.Shutdown(context.Background()))
	}
}
