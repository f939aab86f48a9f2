// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
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
	set := exportertest.NewNopSettings(metadata.Type)
	if telemetry != nil {
		set.TelemetrySettings = telemetry.NewTelemetrySettings()
	}
	e, err := NewFactory().CreateTraces(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
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

// Without retries, the caller gets the data that failed.
func TestWithoutRetriesTheRestIsReturned(t *testing.T) {
	one, two := startServer(t, nil), startServer(t, failing(codes.Unavailable))
	cfg := quick(one.address, two.address)
	cfg.RetryOnFailure.Enabled = false
	err := start(t, cfg, nil).ConsumeTraces(t.Context(), batchOf("a", 200))
	requireSame(t, spanNames(spansOf(batchOf("a", 200))), append(one.took(), left(t, err)...))
	assert.NotEmpty(t, left(t, err))
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

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, defaultConfig) }

func TestWithoutEndpoints(t *testing.T) {
	_, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(metadata.Type), defaultConfig())
	assert.ErrorIs(t, err, errNoList)
}
