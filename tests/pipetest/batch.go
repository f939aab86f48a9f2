// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// batch is the data of one call of Consume: ptrace.Traces, pmetric.Metrics or plog.Logs.
type batch interface {
	MarkReadOnly()
}

// parse converts a document in OTLP's JSON form to a batch.
func parse(document map[string]any) (batch, error) {
	keys := slices.Sorted(maps.Keys(document))
	if len(keys) != 1 {
		return nil, fmt.Errorf("want one key of resourceSpans, resourceMetrics and resourceLogs, got %q", keys)
	}
	content, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	switch keys[0] {
	case "resourceSpans":
		return (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(content)
	case "resourceMetrics":
		return (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(content)
	case "resourceLogs":
		return (&plog.JSONUnmarshaler{}).UnmarshalLogs(content)
	default:
		return nil, fmt.Errorf("want resourceSpans, resourceMetrics or resourceLogs, got %q", keys[0])
	}
}

// toJSON converts a batch to OTLP's JSON form. For an empty batch it adds the key of the signal, which the
// marshalers leave out.
func toJSON(b batch) ([]byte, error) {
	switch b := b.(type) {
	case ptrace.Traces:
		if b.ResourceSpans().Len() == 0 {
			return []byte(`{"resourceSpans":[]}`), nil
		}
		return (&ptrace.JSONMarshaler{}).MarshalTraces(b)
	case pmetric.Metrics:
		if b.ResourceMetrics().Len() == 0 {
			return []byte(`{"resourceMetrics":[]}`), nil
		}
		return (&pmetric.JSONMarshaler{}).MarshalMetrics(b)
	case plog.Logs:
		if b.ResourceLogs().Len() == 0 {
			return []byte(`{"resourceLogs":[]}`), nil
		}
		return (&plog.JSONMarshaler{}).MarshalLogs(b)
	default:
		return nil, fmt.Errorf("%T has no OTLP form", b)
	}
}
