// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	tcgen "github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// mutants makes requests that no client would send, of what the four systems send. It is for one
// goroutine.
type mutants struct {
	random *rand.Rand
	seeds  []tcgen.Batch
	room   int // bytes that long texts of this request may still take
}

// longTexts is what the long texts of a request take together: less than a receiver takes.
const longTexts = 3 * mib

func newMutants(t *testing.T, seed uint64) *mutants {
	t.Helper()
	m := &mutants{random: rand.New(rand.NewPCG(seed, 0))}
	start := time.Now().Add(-time.Minute)
	for _, name := range tcgen.Names() {
		generator, err := tcgen.New(name, seed, start)
		require.NoError(t, err)
		for range 4 {
			m.seeds = append(m.seeds, generator.Next(start.Add(time.Second)))
		}
	}
	return m
}

// next returns the body of a request. What cannot be encoded is nil.
func (m *mutants) next(s signal, json bool) []byte {
	batch := m.seeds[m.random.IntN(len(m.seeds))]
	m.room = longTexts
	var body []byte
	switch s {
	case traces:
		data := ptrace.NewTraces()
		batch.Traces.CopyTo(data)
		m.twistSpans(data)
		request := ptraceotlp.NewExportRequestFromTraces(data)
		body = encoding(json, request.MarshalProto, request.MarshalJSON)
	case metrics:
		data := pmetric.NewMetrics()
		batch.Metrics.CopyTo(data)
		m.twistMetrics(data)
		request := pmetricotlp.NewExportRequestFromMetrics(data)
		body = encoding(json, request.MarshalProto, request.MarshalJSON)
	case logs:
		data := plog.NewLogs()
		batch.Logs.CopyTo(data)
		m.twistRecords(data)
		request := plogotlp.NewExportRequestFromLogs(data)
		body = encoding(json, request.MarshalProto, request.MarshalJSON)
	}
	if m.oneIn(2) {
		body = m.twistBytes(body)
	}
	return body
}

func encoding(json bool, proto, text func() ([]byte, error)) []byte {
	encode := proto
	if json {
		encode = text
	}
	body, err := encode()
	if err != nil {
		return nil
	}
	return body
}

func (m *mutants) oneIn(n int) bool { return m.random.IntN(n) == 0 }

// twistBytes changes, drops, doubles or inserts bytes in a few places.
func (m *mutants) twistBytes(body []byte) []byte {
	for range 1 + m.random.IntN(8) {
		if len(body) == 0 {
			return body
		}
		at := m.random.IntN(len(body))
		length := m.random.IntN(min(64, len(body)-at) + 1)
		switch m.random.IntN(5) {
		case 0:
			body[at] ^= 1 << m.random.IntN(8)
		case 1:
			body = append(body[:at], body[at+length:]...)
		case 2:
			body = append(body[:at+length], body[at:]...)
		case 3: // a number or length of the largest size
			rest := append([]byte{0xff, 0xff, 0xff, 0xff, 0x7f}, body[at:]...)
			body = append(body[:at], rest...)
		case 4:
			body = body[:at]
		}
	}
	return body
}

// text returns a name or value that somebody might not have thought of.
func (m *mutants) text(usual string) string {
	switch m.random.IntN(8) {
	case 0:
		long := strings.Repeat("x", m.random.IntN(m.room+1)>>m.random.IntN(12))
		m.room -= len(long)
		return usual + long
	case 1:
		return ""
	case 2:
		return "__" + usual
	case 3:
		return usual + string([]byte{0xff, 0xfe})
	case 4:
		return usual + pcommon.SpanID(m.id()).String()
	default:
		return usual
	}
}

func (m *mutants) id() (id [8]byte) {
	for i := range id {
		id[i] = byte(m.random.Uint32())
	}
	return id
}

func (m *mutants) time() pcommon.Timestamp {
	times := []uint64{0, 1, math.MaxUint64, math.MaxInt64, uint64(time.Now().UnixNano()), m.random.Uint64()}
	return pcommon.Timestamp(times[m.random.IntN(len(times))])
}

func (m *mutants) number() float64 {
	numbers := []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, m.random.NormFloat64()}
	return numbers[m.random.IntN(len(numbers))]
}

func (m *mutants) attributes(attributes pcommon.Map) {
	switch m.random.IntN(12) {
	case 0:
		attributes.PutStr(m.text("session"), m.text("value"))
	case 1:
		attributes.PutEmpty(m.text("nothing"))
	case 2:
		deep := attributes.PutEmptyMap(m.text("deep"))
		for range m.random.IntN(30) {
			deep = deep.PutEmptyMap("deeper")
		}
	case 3:
		attributes.PutDouble(m.text("number"), m.number())
	}
}

func (m *mutants) twistSpans(data ptrace.Traces) {
	for _, resource := range data.ResourceSpans().All() {
		m.attributes(resource.Resource().Attributes())
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				if !m.oneIn(4) {
					continue
				}
				span.SetName(m.text(span.Name()))
				span.SetStartTimestamp(m.time())
				span.SetParentSpanID(m.id())
				m.attributes(span.Attributes())
			}
		}
	}
}

func (m *mutants) twistRecords(data plog.Logs) {
	for _, resource := range data.ResourceLogs().All() {
		m.attributes(resource.Resource().Attributes())
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				if !m.oneIn(4) {
					continue
				}
				record.Body().SetStr(m.text(record.Body().AsString() + " trace_id="))
				record.SetTimestamp(m.time())
				m.attributes(record.Attributes())
			}
		}
	}
}
