// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

// quick returns a configuration with short waits and no queue, so that callers see the endpoints' answers.
func quick(endpoints ...string) *Config {
	cfg := plainText(endpoints...)
	cfg.SendingQueue = configoptional.None[exporterhelper.QueueBatchConfig]()
	cfg.RetryOnFailure.InitialInterval = 10 * time.Millisecond
	cfg.RetryOnFailure.MaxInterval = 20 * time.Millisecond
	cfg.Timeout = enough
	return cfg
}

func start(t *testing.T, cfg *Config, telemetry *componenttest.Telemetry) exporter.Traces {
	t.Helper()
	e := startOnly(t, cfg, telemetry)
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
	return e
}

// startOnly starts an exporter. The test has to shut it down.
func startOnly(t *testing.T, cfg *Config, telemetry *componenttest.Telemetry) exporter.Traces {
	t.Helper()
	set := exportertest.NewNopSettings(metadata.Type)
	if telemetry != nil {
		set.TelemetrySettings = telemetry.NewTelemetrySettings()
	}
	e, err := NewFactory().CreateTraces(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	return e
}

// answers returns the given answers one after the other, and then accepts everything.
func answers(all ...func(context.Context) (ptraceotlp.ExportResponse, error)) func(context.Context) (ptraceotlp.ExportResponse, error) {
	var next atomic.Int32
	return func(ctx context.Context) (ptraceotlp.ExportResponse, error) {
		if i := int(next.Add(1)) - 1; i < len(all) {
			return all[i](ctx)
		}
		return ptraceotlp.NewExportResponse(), nil
	}
}

// exporterhelper retries exactly the data that failed.
func TestRetriesOnlyWhatFailed(t *testing.T) {
	one := startServer(t, nil)
	two := startServer(t, answers(failing(codes.Unavailable), failing(codes.Aborted), failing(codes.ResourceExhausted, &errdetails.RetryInfo{})))
	e := start(t, quick(one.address, two.address), nil)
	require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 200)))
	assert.Equal(t, 1, one.tried())
	assert.Equal(t, 4, two.tried())
	requireSame(t, spanNames(spansOf(batchOf("a", 200))), slices.Concat(one.took(), two.took()))
}

func TestWaitsAsLongAsTheGatewaySays(t *testing.T) {
	const delay = 700 * time.Millisecond
	var first, second time.Time
	s := startServer(t, answers(func(ctx context.Context) (ptraceotlp.ExportResponse, error) {
		first = time.Now()
		return failing(codes.ResourceExhausted, &errdetails.RetryInfo{RetryDelay: durationpb.New(delay)})(ctx)
	}, func(context.Context) (ptraceotlp.ExportResponse, error) {
		second = time.Now()
		return ptraceotlp.NewExportResponse(), nil
	}))
	e := start(t, quick(s.address), nil)
	require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 2)))
	assert.GreaterOrEqual(t, second.Sub(first), delay)
}

// During a token rotation, gateways refuse agents that have the other token.
func TestWaitsForCredentialsToBeAccepted(t *testing.T) {
	s := startServer(t, answers(failing(codes.Unauthenticated), failing(codes.PermissionDenied)))
	require.NoError(t, start(t, quick(s.address), nil).ConsumeTraces(t.Context(), batchOf("a", 20)))
	assert.Equal(t, 3, s.tried())
	assert.Len(t, s.took(), 20)
}

// Without retries, the caller gets the data that failed.
func TestWithoutRetriesTheRestIsReturned(t *testing.T) {
	one, two := startServer(t, nil), startServer(t, failing(codes.Unavailable))
	cfg := quick(one.address, two.address)
	cfg.RetryOnFailure.Enabled = false
	err := start(t, cfg, nil).ConsumeTraces(t.Context(), batchOf("a", 200))
	requireSame(t, spanNames(spansOf(batchOf("a", 200))), append(one.took(), left(t, err)...))
	assert.NotEmpty(t, left(t, err))
}

func TestPermanentOnlyIfAllIsRefused(t *testing.T) {
	one, two := startServer(t, nil), startServer(t, failing(codes.InvalidArgument))
	e := start(t, quick(one.address, two.address), nil)
	require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 200)))
	var refused int
	for _, span := range spansOf(batchOf("a", 200)) {
		if !slices.Contains(one.took(), span.Name()) {
			refused++
		}
	}
	assert.NotZero(t, refused)
	assert.Equal(t, 1, two.tried())

	err := start(t, quick(two.address), nil).ConsumeTraces(t.Context(), batchOf("b", 20))
	assert.True(t, consumererror.IsPermanent(err))
}

// The endpoints are the addresses of a name. An address without a listener does no harm.
func TestAddressesOfAName(t *testing.T) {
	s := startServer(t, nil)
	_, port, err := net.SplitHostPort(s.address)
	require.NoError(t, err)
	cfg := quick()
	cfg.DNS.Hostname = "localhost"
	cfg.DNS.Port, err = strconv.Atoi(port)
	require.NoError(t, err)
	e := start(t, cfg, nil)
	require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 50)))
	assert.Len(t, s.took(), 50)
}

// The exporter starts without known endpoints, and the data waits.
func TestNameWithoutAddresses(t *testing.T) {
	cfg := quick()
	cfg.DNS.Hostname = "gateway.invalid"
	cfg.RetryOnFailure.Enabled = false
	err := start(t, cfg, nil).ConsumeTraces(t.Context(), batchOf("a", 5))
	require.ErrorIs(t, err, errNoEndpoint)
	assert.False(t, consumererror.IsPermanent(err))
}

// Shutdown waits no longer than timeout for an endpoint that never answers.
func TestShutdownWhileAnEndpointIsSilent(t *testing.T) {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	unresponsive := startServer(t, silent(t)) // after the first batch
	cfg := quick(unresponsive.address, addresses[0])
	cfg.Timeout = patience
	cfg.SendingQueue = configoptional.Some(exporterhelper.NewDefaultQueueConfig())
	e := startOnly(t, cfg, nil)
	for range 20 {
		require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 50)))
	}
	begin := time.Now()
	require.NoError(t, e.Shutdown(context.Background()))
	assert.Less(t, time.Since(begin), enough)
}

func TestStartReportsClientErrors(t *testing.T) {
	cfg := quick("127.0.0.1:1")
	cfg.Client.TLS.Insecure = false
	cfg.Client.TLS.CAFile = "no-such-file"
	e, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	err = e.Start(t.Context(), componenttest.NewNopHost())
	assert.ErrorContains(t, err, "endpoint 127.0.0.1:1: ")
	assert.ErrorContains(t, err, "no-such-file")
	require.NoError(t, e.Shutdown(context.Background()))
}
