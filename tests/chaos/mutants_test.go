// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	tcgen "github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// mutants makes requests that no client would send, of what the four systems send and of samples that have all fields of
// OTLP. It is for one goroutine.
type mutants struct {
	random *rand.Rand
	seeds  map[signal][][]byte // in JSON
	room   int                 // bytes that long texts of this request may still take
}

// longTexts is what the long texts of a request take together: less than a receiver takes.
const longTexts = 3 * mib

// otlpRequest is a request as pdata has it.
type otlpRequest interface {
	UnmarshalJSON([]byte) error
	MarshalJSON() ([]byte, error)
	MarshalProto() ([]byte, error)
}

var newRequests = map[signal]func() otlpRequest{
	traces:  func() otlpRequest { return ptraceotlp.NewExportRequest() },
	metrics: func() otlpRequest { return pmetricotlp.NewExportRequest() },
	logs:    func() otlpRequest { return plogotlp.NewExportRequest() },
}

func newMutants(t *testing.T, seed uint64) *mutants {
	t.Helper()
	m := &mutants{random: rand.New(rand.NewPCG(seed, 0)), seeds: map[signal][][]byte{}}
	start := time.Now().Add(-time.Minute)
	for _, name := range tcgen.Names() {
		generator, err := tcgen.New(name, seed, start)
		require.NoError(t, err)
		for range 4 {
			batch := generator.Next(start.Add(time.Second))
			for s, request := range map[signal]otlpRequest{
				traces:  ptraceotlp.NewExportRequestFromTraces(batch.Traces),
				metrics: pmetricotlp.NewExportRequestFromMetrics(batch.Metrics),
				logs:    plogotlp.NewExportRequestFromLogs(batch.Logs),
			} {
				text, err := request.MarshalJSON()
				require.NoError(t, err)
				m.seeds[s] = append(m.seeds[s], text)
			}
		}
	}
	for s := range newRequests {
		text, err := os.ReadFile(filepath.Join(collectortest.Root(t), "extension/wirelimitsextension/internal/wire/testdata", string(s)+".json"))
		require.NoError(t, err)
		m.seeds[s] = append(m.seeds[s], text)
	}
	return m
}

// next returns the body of a request. What pdata does not read stays as it was before.
func (m *mutants) next(s signal, asJSON bool) []byte {
	seed := m.seeds[s][m.random.IntN(len(m.seeds[s]))]
	m.room = longTexts
	var document any
	if json.Unmarshal(seed, &document) != nil {
		return nil
	}
	request := newRequests[s]()
	text, err := json.Marshal(m.twist("", document))
	if err != nil || request.UnmarshalJSON(text) != nil {
		request = newRequests[s]()
		_ = request.UnmarshalJSON(seed) // it is valid
	}
	encode := request.MarshalProto
	if asJSON {
		encode = request.MarshalJSON
	}
	body, _ := encode() // what cannot be encoded is nil
	if m.oneIn(2) {
		body = m.twistBytes(body)
	}
	return body
}

// signedFields and doubleFields are the fields of OTLP that hold numbers of these types.
var (
	signedFields = []string{"scale", "offset"}
	doubleFields = []string{"asDouble", "doubleValue", "sum", "min", "max", "quantile", "value", "zeroThreshold", "explicitBounds"}
)

func (m *mutants) oneIn(n int) bool { return m.random.IntN(n) == 0 }

// twist changes values of a document, and drops or doubles elements of its lists. JSON has the 64-bit integers of OTLP as
// texts of digits, and ids as texts of hexadecimal digits.
func (m *mutants) twist(key string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		for field, inner := range value {
			value[field] = m.twist(field, inner)
		}
	case []any:
		var all []any
		for _, inner := range value {
			if !m.oneIn(40) {
				all = append(all, m.twist(key, inner))
			}
			if m.oneIn(20) {
				all = append(all, inner)
			}
		}
		return all
	case float64:
		numbers := []any{0, 1, 3, 20, 40, 99, math.MaxInt32} // of enumerations, flags and counts of 32 bits
		if slices.Contains(signedFields, key) {
			numbers = append(numbers, -1, -3, -11, 21, math.MinInt32, 1<<27, -(1 << 27))
		} else if slices.Contains(doubleFields, key) {
			numbers = append(numbers, -1, "NaN", "Infinity", "-Infinity", math.MaxFloat64, m.random.NormFloat64())
		}
		if m.oneIn(10) {
			return numbers[m.random.IntN(len(numbers))]
		}
	case string:
		if !m.oneIn(10) {
			return value
		}
		if strings.HasSuffix(key, "Id") {
			return fmt.Sprintf("%0*x", len(value), m.random.Uint32())
		}
		if strings.Trim(value, "-0123456789") == "" && value != "" {
			numbers := []int64{0, 1, math.MaxInt64, time.Now().UnixNano(), m.random.Int64()}
			return fmt.Sprint(numbers[m.random.IntN(len(numbers))])
		}
		return m.text(value)
	}
	return value
}

// text returns a name or value that somebody might not have thought of.
func (m *mutants) text(usual string) string {
	switch m.random.IntN(6) {
	case 0:
		long := strings.Repeat("x", m.random.IntN(m.room+1)>>m.random.IntN(12))
		m.room -= len(long)
		return usual + long
	case 1:
		return ""
	case 2:
		return "__" + usual
	case 3:
		return usual + " trace_id="
	case 4:
		return usual + pcommon.SpanID{byte(m.random.Uint32())}.String()
	}
	return usual
}

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
