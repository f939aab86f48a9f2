// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	rpc "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

// transport is a way to send a request.
type transport struct {
	name      string // in metrics and logs
	extension string // of a file that keeps the request
	send      func(*testing.T, *rig, request) *status.Status
}

// transports are without compression, and compressions with it.
var (
	transports = map[string]transport{
		"grpc": overGRPC(), "protobuf": overHTTP(protobufType, ""), "json": overHTTP(jsonType, ""),
	}
	compressions = map[string]transport{
		"grpc gzip": overGRPC(grpc.UseCompressor(gzip.Name)), "protobuf gzip": overHTTP(protobufType, "gzip"), "protobuf zstd": overHTTP(protobufType, "zstd"),
		"json gzip": overHTTP(jsonType+"; charset=utf-8", "gzip"), "json zstd": overHTTP(jsonType, "zstd"),
	}
)

func overGRPC(options ...grpc.CallOption) transport {
	return transport{"grpc", "binpb", func(t *testing.T, r *rig, sent request) *status.Status {
		return status.Convert(export(t.Context(), dial(t, r.grpc), sent, options...))
	}}
}

func overHTTP(contentType, compression string) transport {
	inJSON, extension := contentType != protobufType, "binpb"
	if inJSON {
		extension = "json"
	}
	return transport{"http", extension, func(t *testing.T, r *rig, sent request) *status.Status {
		code, body := r.send(t, sent.path, contentType, compression, sent.body(t, inJSON))
		if code == http.StatusOK {
			return status.New(codes.OK, "")
		}
		var answer rpc.Status
		if inJSON {
			require.NoError(t, json.Unmarshal(body, &answer))
		} else {
			require.NoError(t, proto.Unmarshal(body, &answer))
		}
		want := map[int]codes.Code{
			http.StatusBadRequest: codes.InvalidArgument, http.StatusServiceUnavailable: codes.Unavailable, http.StatusInternalServerError: codes.Internal,
		}
		assert.EqualValues(t, want[code], answer.GetCode(), code)
		return status.FromProto(&answer)
	}}
}

func TestLimits(t *testing.T) {
	check := func(over transport) func(*testing.T) {
		return func(t *testing.T) {
			r := newRig(t, func(c *Config) { c.MaxDecodedMib = 1 })
			f := func(all []request, message string) {
				t.Helper()
				for _, sent := range all {
					answer := over.send(t, r, sent)
					assert.Equal(t, message, answer.Message())
					if message != "" {
						assert.Equal(t, codes.InvalidArgument, answer.Code())
						assert.Nil(t, r.arrived(t, sent.path))
						continue
					}
					assert.Equal(t, codes.OK, answer.Code())
					assert.Equal(t, sent.body(t, false), r.arrived(t, sent.path), "byte for byte")
				}
			}
			f(requests(100, 43), "")
			f(requests(1, 50), "max_depth: messages must not be nested deeper than 95")
			f(requests(20_000, 0), "max_decoded_mib: a request must not take more than 1 MiB once decoded")
			f(requests(100, 43), "")
			assert.Equal(t, map[string]int64{"max_depth " + over.name: 3, "max_decoded_mib " + over.name: 3}, r.refused())
			require.Equal(t, 1, r.logged.Len(), "the others only count")
			entry := r.logged.All()[0].ContextMap()
			assert.Equal(t, over.name, entry["transport"])
			assert.Contains(t, entry["reason"], "max_depth")
			assert.Contains(t, entry["client"], "127.0.0.1:")
		}
	}
	for name, over := range transports {
		t.Run(name, check(over))
	}
	for name, over := range compressions {
		t.Run(name, check(over))
	}
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

// request is what a test sends, over each transport.
type request struct {
	path string
	otlp interface {
		MarshalProto() ([]byte, error)
		MarshalJSON() ([]byte, error)
	}
}

// requests returns a request of each signal with the given number of items. In one item, values
// are nested to the given depth.
func requests(items, depth int) []request {
	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	metrics := pmetric.NewMetrics()
	points := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints()
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for range items {
		spans.AppendEmpty()
		points.AppendEmpty()
		records.AppendEmpty()
	}
	nest(spans.At(0).Attributes(), depth)
	nest(points.At(0).Attributes(), depth)
	nest(records.At(0).Attributes(), depth)
	return []request{
		{"/v1/traces", ptraceotlp.NewExportRequestFromTraces(traces)},
		{"/v1/metrics", pmetricotlp.NewExportRequestFromMetrics(metrics)},
		{"/v1/logs", plogotlp.NewExportRequestFromLogs(logs)},
	}
}

func nest(m pcommon.Map, depth int) {
	value := m.PutEmpty("nested")
	for range depth {
		value = value.SetEmptySlice().AppendEmpty()
	}
	value.SetStr("innermost")
}

// body returns the request as it is sent over HTTP.
func (r request) body(t *testing.T, json bool) []byte {
	t.Helper()
	marshal := r.otlp.MarshalProto
	if json {
		marshal = r.otlp.MarshalJSON
	}
	body, err := marshal()
	require.NoError(t, err)
	return body
}

// arrived returns the only request that the pipeline received, as an exporter would send it.
func (r *rig) arrived(t *testing.T, path string) []byte {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.bodies[path]
	delete(r.bodies, path)
	if len(all) == 0 {
		return nil
	}
	require.Len(t, all, 1)
	return all[0]
}
