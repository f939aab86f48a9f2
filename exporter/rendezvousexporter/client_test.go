// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.uber.org/zap"
	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/contact"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

func plainText(endpoints ...string) *Config {
	cfg := defaultConfig().(*Config)
	cfg.Endpoints = endpoints
	cfg.Client.TLS.Insecure = true
	return cfg
}

func dial[T any](t *testing.T, address string, signal signal[T]) client[T] {
	t.Helper()
	return dialAs(t, plainText(address), componenttest.NewNopHost(), signal)
}

func someContact() *contact.Contact {
	return contact.New(func(*componentstatus.Event) {}, zap.NewNop())
}

func dialAs[T any](t *testing.T, cfg *Config, host component.Host, signal signal[T]) client[T] {
	t.Helper()
	c, err := newDial(cfg, exportertest.NewNopSettings(metadata.Type), host, signal, someContact())(cfg.Endpoints[0])
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.close() })
	return c
}

func sendOne(t *testing.T, c client[ptrace.Traces], limit time.Duration) health.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return c.send(ctx, batchOf("a", 2))
}

const (
	// enough is longer than an answer takes, and patience is shorter than a test may take.
	enough   = 30 * time.Second
	patience = 300 * time.Millisecond
)

func TestVerdictOfAnswers(t *testing.T) {
	f := func(answer func(context.Context) (ptraceotlp.ExportResponse, error), want health.Reply) {
		t.Helper()
		got := sendOne(t, dial(t, startServer(t, answer).address, traces), enough)
		assert.Equal(t, want.Verdict == health.Accepted, got.Err == nil)
		got.Err = nil
		want.Answered = true
		assert.Equal(t, want, got)
	}
	f(nil, health.Reply{Verdict: health.Accepted})
	f(failing(codes.InvalidArgument), health.Reply{Verdict: health.Refused, Reason: "InvalidArgument"})
	f(failing(codes.ResourceExhausted), health.Reply{Verdict: health.Refused, Reason: "ResourceExhausted"})
	// A stock receiver answers this when its memory limiter refuses data or its queue is full.
	f(failing(codes.Unavailable), health.Reply{Verdict: health.Busy, Reason: "Unavailable"})
	// During a token rotation, the two sides have different tokens for some time.
	f(failing(codes.Unauthenticated), health.Reply{Verdict: health.Busy, Reason: "Unauthenticated"})
	f(failing(codes.PermissionDenied), health.Reply{Verdict: health.Busy, Reason: "PermissionDenied"})
	f(failing(codes.Aborted), health.Reply{Verdict: health.Busy, Reason: "Aborted"})
	f(failing(codes.DeadlineExceeded), health.Reply{Verdict: health.Busy, Reason: "DeadlineExceeded"})
	f(failing(codes.Unavailable, retryIn(7)), health.Reply{Verdict: health.Busy, Reason: "Unavailable", Delay: 7 * time.Second})
	f(failing(codes.ResourceExhausted, retryIn(3)), health.Reply{Verdict: health.Busy, Reason: "ResourceExhausted", Delay: 3 * time.Second})
	f(failing(codes.Unavailable, retryIn(24*60*60)), health.Reply{Verdict: health.Busy, Reason: "Unavailable", Delay: time.Minute})
	f(func(context.Context) (ptraceotlp.ExportResponse, error) {
		response := ptraceotlp.NewExportResponse()
		response.PartialSuccess().SetRejectedSpans(1)
		response.PartialSuccess().SetErrorMessage("too long")
		return response, nil
	}, health.Reply{Verdict: health.Accepted, Rejected: 1, Message: "too long"})
}

func TestVerdictWithoutAServer(t *testing.T) {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	got := sendOne(t, dial(t, addresses[0], traces), enough)
	assert.Equal(t, health.Away, got.Verdict)
	assert.False(t, got.Unsure)
}

// The server accepts connections and never answers, like an address that drops packets. Nothing was sent,
// so the items are not unsure.
func TestVerdictOfSilence(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	got := sendOne(t, dial(t, listener.Addr().String(), traces), patience)
	assert.Equal(t, health.Away, got.Verdict)
	assert.Equal(t, "DeadlineExceeded", got.Reason)
	assert.False(t, got.Unsure)
}

func TestVerdictOfAServerThatDoesNotAnswer(t *testing.T) {
	s := startServer(t, silent(t))
	c := dial(t, s.address, traces)
	require.Equal(t, health.Accepted, sendOne(t, c, enough).Verdict)
	got := sendOne(t, c, patience)
	assert.Equal(t, health.Timeout, got.Verdict)
	assert.True(t, got.Unsure)
	assert.False(t, got.Cancelled)

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(patience, cancel)
	got = c.send(ctx, batchOf("a", 2))
	assert.Equal(t, health.Timeout, got.Verdict)
	assert.True(t, got.Cancelled, "the caller cancelled")
}

// The gateway is killed while it processes a batch. Whether it accepted the items is unknown.
func TestVerdictOfABrokenConnection(t *testing.T) {
	came := make(chan struct{})
	s := startServer(t, func(ctx context.Context) (ptraceotlp.ExportResponse, error) {
		close(came)
		<-ctx.Done()
		return ptraceotlp.NewExportResponse(), ctx.Err()
	})
	c := dial(t, s.address, traces)
	go func() {
		<-came
		s.grpc.Stop()
	}()
	got := sendOne(t, c, enough)
	assert.Equal(t, health.Away, got.Verdict)
	assert.True(t, got.Unsure)
}

// noToken is an authenticator without a token.
type noToken struct {
	component.StartFunc
	component.ShutdownFunc
}

var _ extensionauth.GRPCClient = noToken{}

func (noToken) PerRPCCredentials() (credentials.PerRPCCredentials, error) { return noToken{}, nil }

func (noToken) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return nil, errors.New("no token yet")
}

func (noToken) RequireTransportSecurity() bool { return false }

type hostWith map[component.ID]component.Component

func (h hostWith) GetExtensions() map[component.ID]component.Component { return h }

// gRPC reports Unauthenticated, although the endpoint did not answer.
func TestVerdictWithoutCredentials(t *testing.T) {
	id := component.MustNewID("token")
	s := startServer(t, nil)
	cfg := plainText(s.address)
	cfg.Client.Auth = configoptional.Some(configauth.Config{AuthenticatorID: id})
	got := sendOne(t, dialAs(t, cfg, hostWith{id: noToken{}}, traces), enough)
	assert.Equal(t, health.Busy, got.Verdict)
	assert.Equal(t, "Unauthenticated", got.Reason)
	assert.Zero(t, s.tried())
}

func TestPartialSuccessOfLogsAndMetrics(t *testing.T) {
	address := startServer(t, nil).address
	got := dial(t, address, logs).send(t.Context(), plog.NewLogs())
	assert.Equal(t, health.Reply{Verdict: health.Accepted, Answered: true, Rejected: 1, Message: "a log"}, got)
	got = dial(t, address, metrics).send(t.Context(), allMetricTypes(1))
	assert.Equal(t, health.Reply{Verdict: health.Accepted, Answered: true, Rejected: 1, Message: "a point"}, got)

	for _, got := range []health.Reply{
		dial(t, "127.0.0.1:1", logs).send(t.Context(), plog.NewLogs()),
		dial(t, "127.0.0.1:1", metrics).send(t.Context(), allMetricTypes(1)),
	} {
		assert.Equal(t, health.Away, got.Verdict)
	}
}

// startResetter starts a proxy that reads each request completely and then resets its stream.
func startResetter(t *testing.T, code http2.ErrCode) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				resetStreams(conn, code)
			}()
		}
	}()
	return listener.Addr().String()
}

// resetStreams is the part of HTTP/2 that a client needs, until the client disconnects.
func resetStreams(conn net.Conn, code http2.ErrCode) {
	if _, err := io.CopyN(io.Discard, conn, int64(len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	_ = framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = framer.WriteSettingsAck()
			}
		case *http2.DataFrame:
			if frame.StreamEnded() {
				_ = framer.WriteRSTStream(frame.StreamID, code)
			}
		}
	}
}

// No gateway has answered, so none has refused the items, whatever code gRPC reports.
func TestVerdictOfAResetStream(t *testing.T) {
	f := func(code http2.ErrCode, want health.Verdict, reason string) {
		t.Helper()
		got := sendOne(t, dial(t, startResetter(t, code), traces), enough)
		require.Error(t, got.Err)
		assert.ErrorContains(t, got.Err, "RST_STREAM")
		got.Err = nil
		assert.Equal(t, health.Reply{Verdict: want, Reason: reason, Unsure: true}, got)
	}
	f(http2.ErrCodeNo, health.Timeout, "Internal")
	f(http2.ErrCodeProtocol, health.Timeout, "Internal")
	f(http2.ErrCodeInternal, health.Timeout, "Internal")
	f(http2.ErrCodeFlowControl, health.Timeout, "ResourceExhausted")
	f(http2.ErrCodeEnhanceYourCalm, health.Timeout, "ResourceExhausted")
	f(http2.ErrCodeCancel, health.Timeout, "Canceled")
	f(http2.ErrCodeRefusedStream, health.Away, "Unavailable")
}

// Items of reset streams are retried at the same gateway, and go to the next gateway if that does not
// help.
func TestResetStreamsLoseNothing(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	s, resetter := startServer(t, nil), startResetter(t, http2.ErrCodeInternal)
	e := start(t, quick(s.address, resetter), telemetry)
	require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 100)))
	requireSame(t, spanNames(spansOf(batchOf("a", 100))), s.took())
	_, own := shares(100, s.address, resetter)
	failed := counted(t, telemetry, "rendezvous_failed_items", "endpoint", resetter, "cause", "timeout")
	assert.GreaterOrEqual(t, failed, health.MaxTimeouts*own)
	assert.Equal(t, failed, counted(t, telemetry, "rendezvous_unsure_items"))
	assert.Zero(t, counted(t, telemetry, "rendezvous_dropped_items"))
}
