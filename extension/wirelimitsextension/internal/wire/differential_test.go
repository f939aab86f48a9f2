// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

var unlimited = Limits{Depth: math.MaxInt, Size: math.MaxInt}

// seen is what a checker found in a request: the depth, and the memory of messages.
func seen(check Checker, limit func(Limits) Checker, body []byte, chunk int) measured {
	feed(check, body, chunk)
	var got measured
	switch c := check.(type) {
	case *Protobuf:
		got.extra = c.extra
	case *JSON:
		got.extra = c.extra
	}
	// The depth is the lowest limit that the request does not exceed.
	for low, high := 0, len(body)+1; ; {
		if got.depth = (low + high) / 2; low == high {
			return got
		}
		if feed(limit(Limits{Depth: got.depth, Size: math.MaxInt}), body, chunk) == TooDeep {
			low = got.depth + 1
		} else {
			high = got.depth
		}
	}
}

// feed gives a checker a body in chunks.
func feed(c Checker, body []byte, chunk int) Rule {
	rule := None
	for len(body) > 0 {
		n := min(chunk, len(body))
		rule = c.Check(body[:n])
		body = body[n:]
	}
	return rule
}

func seenInProto(t testing.TB, s Signal, body []byte, chunk int) measured {
	t.Helper()
	limited := func(l Limits) Checker { return NewProtobuf(s, l) }
	p := NewProtobuf(s, unlimited)
	got := seen(p, limited, body, chunk)
	require.False(t, p.broken, "pdata accepts it")
	got.depth = max(got.depth, 1)
	return got
}

func seenInJSON(body []byte, chunk int) measured {
	limited := func(l Limits) Checker { return NewJSON(l) }
	return seen(NewJSON(unlimited), limited, body, chunk)
}

// checkProto compares the checker's result for a body with pdata's.
func checkProto(t *testing.T, s signal, body []byte, chunk int) {
	request, err := s.fromProto(body)
	if err != nil {
		feed(NewProtobuf(s.signal, unlimited), body, chunk) // must not panic
		return
	}
	got := seenInProto(t, s.signal, body, chunk)
	// A repeated field is decoded twice and kept once. A message inside the struct of another
	// exists even if it is not encoded, and is empty then.
	assert.GreaterOrEqual(t, got.extra+request.measured.values*weights[anyValue], request.measured.extra)
	assert.GreaterOrEqual(t, got.depth, request.measured.depth-1)

	body, err = request.MarshalProto()
	require.NoError(t, err)
	written := seenInProto(t, s.signal, body, chunk)
	assert.Equal(t, request.measured.extra, written.extra, "written by pdata")
	assert.Equal(t, request.measured.depth, written.depth, "written by pdata")
	body, err = request.MarshalJSON()
	require.NoError(t, err)
	// Not all valid protobuf can be written as JSON.
	if again, err := s.fromJSON(body); err == nil && json.Valid(body) && utf8.Valid(body) {
		require.Equal(t, None, feed(NewJSON(unlimited), body, chunk))
		checkSeenInJSON(t, again, body, chunk)
		assert.Equal(t, again.measured.depth, seenInJSON(body, chunk).depth)
	}
}

// checkJSON does the same for JSON, without the schema.
func checkJSON(t *testing.T, s signal, body []byte, chunk int) {
	switch feed(NewJSON(unlimited), body, chunk) {
	case NotJSON:
		assert.False(t, json.Valid(body))
		return
	case NotUTF8:
		assert.False(t, utf8.Valid(body))
		return
	}
	request, err := s.fromJSON(body)
	if err != nil {
		return
	}
	checkSeenInJSON(t, request, body, chunk)
}

func checkSeenInJSON(t *testing.T, request decoded, body []byte, chunk int) {
	got := seenInJSON(body, chunk)
	assert.GreaterOrEqual(t, got.depth, request.measured.depth-1)
	assert.GreaterOrEqual(t, 2*(got.extra+len(body)), request.measured.extra)
}

func TestCheckerAgreesWithPdata(t *testing.T) {
	for _, s := range samples(t) {
		for _, chunk := range []int{1, 2, 3, 7, 512, math.MaxInt} {
			t.Run(s.signal.name, func(t *testing.T) {
				checkProto(t, s.signal, s.proto, chunk)
				checkJSON(t, s.signal, s.json, chunk)
				request, err := s.signal.fromProto(s.proto)
				require.NoError(t, err)
				assert.Greater(t, request.measured.extra, 2000, "there is something to see")
			})
		}
	}
}

func FuzzProtobuf(f *testing.F) {
	for i, s := range samples(f) {
		f.Add(uint8(i), uint8(0), s.proto)
		f.Add(uint8(i), uint8(3), s.proto)
	}
	for _, body := range oddities() {
		f.Add(uint8(0), uint8(1), body)
	}
	f.Fuzz(func(t *testing.T, which, chunk uint8, body []byte) {
		checkProto(t, signals[int(which)%len(signals)], body, chunkSize(chunk))
	})
}

func FuzzJSON(f *testing.F) {
	for i, s := range samples(f) {
		f.Add(uint8(i), uint8(0), s.json)
	}
	f.Add(uint8(0), uint8(1), []byte(`{"resourceSpans":[null,{"scopeSpans":[null,{"spans":[null,null]}]}]}`))
	f.Fuzz(func(t *testing.T, which, chunk uint8, body []byte) {
		checkJSON(t, signals[int(which)%len(signals)], body, chunkSize(chunk))
	})
}

func chunkSize(n uint8) int {
	if n == 0 {
		return math.MaxInt
	}
	return int(n)
}

// oddities are bytes that pdata accepts and other decoders do not, or vice versa.
func oddities() [][]byte {
	return [][]byte{
		{1000&0x0f<<3 | 2},                                 // a header that never ends
		binary.AppendUvarint(nil, 1<<35|1<<3|2),            // a field number over 32 bits
		{99&0x0f<<3 | 3, 99&0x0f<<3 | 4},                   // an empty group
		{15<<3 | 3, 1<<3 | 2, 2, 1<<3 | 2, 0, 1<<3 | 2, 0}, // a field that ends a group
		{15<<3 | 3, 15<<3 | 3, 15<<3 | 4, 0x7a, 0},         // groups that do not end
		{0xc2, 0x3e, 2, 0x12, 0},                           // deprecated field 1000
		{1<<3 | 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00},
	}
}

// otlpRequest is a request as pdata has it.
type otlpRequest interface {
	UnmarshalProto(body []byte) error
	UnmarshalJSON(body []byte) error
	MarshalProto() ([]byte, error)
	MarshalJSON() ([]byte, error)
}

// decoded is a request that pdata accepts.
type decoded struct {
	otlpRequest
	measured *measured
}

// signal is how pdata decodes a request of one signal.
type signal struct {
	name                string
	signal              Signal
	create              func() otlpRequest
	fromProto, fromJSON func([]byte) (decoded, error)
}

var signals = []signal{
	newSignal("traces", Traces, ptraceotlp.NewExportRequest, func(r ptraceotlp.ExportRequest) *measured { return measureTraces(r.Traces()) }),
	newSignal("metrics", Metrics, pmetricotlp.NewExportRequest, func(r pmetricotlp.ExportRequest) *measured { return measureMetrics(r.Metrics()) }),
	newSignal("logs", Logs, plogotlp.NewExportRequest, func(r plogotlp.ExportRequest) *measured { return measureLogs(r.Logs()) }),
}

func newSignal[M otlpRequest](name string, s Signal, create func() M, measure func(M) *measured) signal {
	decode := func(unmarshal func(M, []byte) error) func([]byte) (decoded, error) {
		return func(body []byte) (decoded, error) {
			request := create()
			err := unmarshal(request, body)
			return decoded{request, measure(request)}, err
		}
	}
	return signal{name, s, func() otlpRequest { return create() }, decode(M.UnmarshalProto), decode(M.UnmarshalJSON)}
}

// sample is a request with all fields and values of each type, in both encodings.
type sample struct {
	signal      signal
	proto, json []byte
}

// samples reads the samples of all signals.
func samples(t testing.TB) (all []sample) {
	t.Helper()
	for _, s := range signals {
		content, err := os.ReadFile("testdata/" + s.name + ".json")
		require.NoError(t, err)
		request, err := s.fromJSON(content)
		require.NoError(t, err)
		proto, err := request.MarshalProto()
		require.NoError(t, err)
		json, err := request.MarshalJSON()
		require.NoError(t, err)
		all = append(all, sample{s, proto, json})
	}
	return all
}
