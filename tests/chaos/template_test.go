// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"bytes"
	"encoding/binary"
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
)

type signal string

const (
	traces  signal = "traces"
	metrics signal = "metrics"
	logs    signal = "logs"
)

// mark comes before every id. An item carries its id where no processor changes it:
// spans and log records in their span id and trace id, points in their value.
var mark = []byte{0xc4, 0xa0, 0x5f, 0x01}

// template is an encoded export request, in which ids can be replaced: clients at full
// speed must not spend their time encoding.
type template struct {
	signal signal
	items  int
	body   []byte
	ids    []int // where in body an id is
}

// shape says what a template's items look like.
type shape struct {
	signal  signal
	items   int
	padding int           // length of an attribute of the resource, which compresses well
	ahead   time.Duration // how far the sender's clock is ahead
	large   int           // length of an attribute of the span in the middle
}

func newTemplate(t *testing.T, s shape) *template {
	t.Helper()
	body, err := encode(s)
	require.NoError(t, err)
	made := &template{signal: s.signal, items: s.items, body: body}
	for at := 0; ; {
		found := bytes.Index(body[at:], mark)
		if found < 0 {
			break
		}
		at += found + len(mark)
		made.ids = append(made.ids, at)
	}
	require.Zero(t, len(made.ids)%s.items)
	return made
}

// request returns a copy whose items have the ids from first on.
func (m *template) request(first int) []byte {
	body := bytes.Clone(m.body)
	for _, at := range m.ids {
		index := binary.BigEndian.Uint32(body[at:])
		binary.BigEndian.PutUint32(body[at:], uint32(first)+index)
	}
	return body
}

func encode(s shape) ([]byte, error) {
	now := time.Now().Add(s.ahead)
	switch s.signal {
	case traces:
		data := ptrace.NewTraces()
		resource := data.ResourceSpans().AppendEmpty()
		describe(resource.Resource(), s)
		spans := resource.ScopeSpans().AppendEmpty().Spans()
		for i := range s.items {
			span := spans.AppendEmpty()
			span.SetTraceID(traceID(i))
			span.SetSpanID(markedID(i))
			span.SetName("Store/Put")
			span.SetStartTimestamp(pcommon.NewTimestampFromTime(now))
			span.SetEndTimestamp(pcommon.NewTimestampFromTime(now))
			if s.large > 0 && i == s.items/2 {
				span.Attributes().PutStr("tc.text", strings.Repeat("y", s.large))
			}
		}
		return ptraceotlp.NewExportRequestFromTraces(data).MarshalProto()
	case metrics:
		data := pmetric.NewMetrics()
		resource := data.ResourceMetrics().AppendEmpty()
		describe(resource.Resource(), s)
		metric := resource.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		metric.SetName("tc_pool_free")
		points := metric.SetEmptyGauge().DataPoints()
		for i := range s.items {
			point := points.AppendEmpty()
			id := markedID(i)
			point.SetIntValue(int64(binary.LittleEndian.Uint64(id[:])))
			point.SetTimestamp(pcommon.NewTimestampFromTime(now.Add(time.Duration(i))))
		}
		return pmetricotlp.NewExportRequestFromMetrics(data).MarshalProto()
	default:
		data := plog.NewLogs()
		resource := data.ResourceLogs().AppendEmpty()
		describe(resource.Resource(), s)
		records := resource.ScopeLogs().AppendEmpty().LogRecords()
		for i := range s.items {
			record := records.AppendEmpty()
			record.SetTraceID(traceID(i))
			record.SetSpanID(markedID(i))
			record.SetTimestamp(pcommon.NewTimestampFromTime(now))
			record.Body().SetStr("evicted")
		}
		return plogotlp.NewExportRequestFromLogs(data).MarshalProto()
	}
}

func describe(resource pcommon.Resource, s shape) {
	resource.Attributes().PutStr("service.name", "chaos")
	if s.padding > 0 {
		resource.Attributes().PutStr("tc.padding", strings.Repeat("x", s.padding))
	}
}

func markedID(i int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint32(id[copy(id[:], mark):], uint32(i))
	return id
}

func traceID(i int) (id pcommon.TraceID) {
	half := markedID(i)
	copy(id[copy(id[:], half[:]):], half[:])
	return id
}
