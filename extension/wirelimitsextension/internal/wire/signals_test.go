// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

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
