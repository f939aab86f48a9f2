// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"net"
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
	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// TestPageEndsWithOpenRequests checks that an unfinished request does not block the shutdown.
func TestPageEndsWithOpenRequests(t *testing.T) {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	cfg := defaultConfig().(*Config)
	cfg.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = addresses[0]
	c, err := NewFactory().CreateTracesToLogs(t.Context(), connectortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	for _, request := range []string{
		"GET /api/v1/services HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
		"GET /api/v1/services HTTP/1.1\r\nHost: x\r\n",
		"GET /api/v1/services HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		connection, err := net.Dial("tcp", addresses[0])
		require.NoError(t, err)
		defer connection.Close()
		_, err = connection.Write([]byte(request))
		require.NoError(t, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Shutdown(context.Background()) }()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		require.Fail(t, "the page does not end")
	}
}

// TestPageLivesWithConnector checks that the page runs from the first start to the last shutdown of an
// instance.
func TestPageLivesWithConnector(t *testing.T) {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	cfg := defaultConfig().(*Config)
	cfg.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = addresses[0]
	set, ctx := connectortest.NewNopSettings(metadata.Type), t.Context()
	one, err := NewFactory().CreateTracesToLogs(ctx, set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	other, err := NewFactory().CreateLogsToLogs(ctx, set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	get := func() error {
		answer, err := http.Get("http://" + addresses[0] + "/api/v1/services")
		if err == nil {
			assert.Equal(t, http.StatusOK, answer.StatusCode)
			err = answer.Body.Close()
		}
		return err
	}
	assert.Error(t, get())
	require.NoError(t, one.Start(ctx, componenttest.NewNopHost()))
	require.NoError(t, other.Start(ctx, componenttest.NewNopHost()))
	assert.NoError(t, get())

	// Another connector with the same address fails, and its error names the setting.
	second := defaultConfig().(*Config)
	second.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = addresses[0]
	taken, err := NewFactory().CreateTracesToLogs(ctx, set, second, consumertest.NewNop())
	require.NoError(t, err)
	assert.ErrorContains(t, taken.Start(ctx, componenttest.NewNopHost()), "page: ")
	assert.NoError(t, taken.Shutdown(ctx))

	assert.NoError(t, one.Shutdown(context.Background()))
	assert.NoError(t, get())
	assert.NoError(t, other.Shutdown(context.Background()))
	assert.Error(t, get())
}

// TestPageURLIsLogged checks that the log names the page, with the port that the system chose.
func TestPageURLIsLogged(t *testing.T) {
	cfg := defaultConfig().(*Config)
	cfg.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = "127.0.0.1:0"
	core, logs := observer.New(zap.InfoLevel)
	set := connectortest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	one, err := NewFactory().CreateTracesToLogs(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	other, err := NewFactory().CreateLogsToLogs(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, one.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, other.Start(t.Context(), componenttest.NewNopHost()))
	const begins = "The conformance page is at "
	said := logs.Filter(func(e observer.LoggedEntry) bool { return strings.HasPrefix(e.Message, begins) }).All()
	require.NotEmpty(t, said)
	answer, err := http.Get(strings.TrimPrefix(said[0].Message, begins))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, answer.Body.Close())
	assert.NoError(t, one.Shutdown(context.Background()))
	assert.NoError(t, other.Shutdown(context.Background()))
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
