// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// decoded is a request that pdata accepts.
type decoded struct {
	measured *measured
	proto    func() ([]byte, error)
	json     func() ([]byte, error)
}

// signal is how pdata decodes a request of one signal.
type signal struct {
	name                string
	signal              Signal
	fromProto, fromJSON func([]byte) (decoded, error)
	// The same and no more, for benchmarks.
	decodeProto, decodeJSON func([]byte) error
}

var signals = []signal{
	{
		"traces", Traces,
		func(b []byte) (decoded, error) {
			request := ptraceotlp.NewExportRequest()
			err := request.UnmarshalProto(b)
			return decoded{measureTraces(request.Traces()), request.MarshalProto, request.MarshalJSON}, err
		},
		func(b []byte) (decoded, error) {
			request := ptraceotlp.NewExportRequest()
			err := request.UnmarshalJSON(b)
			return decoded{measureTraces(request.Traces()), request.MarshalProto, request.MarshalJSON}, err
		},
		func(b []byte) error { return ptraceotlp.NewExportRequest().UnmarshalProto(b) },
		func(b []byte) error { return ptraceotlp.NewExportRequest().UnmarshalJSON(b) },
	},
	{
		"metrics", Metrics,
		func(b []byte) (decoded, error) {
			request := pmetricotlp.NewExportRequest()
			err := request.UnmarshalProto(b)
			return decoded{measureMetrics(request.Metrics()), request.MarshalProto, request.MarshalJSON}, err
		},
		func(b []byte) (decoded, error) {
			request := pmetricotlp.NewExportRequest()
			err := request.UnmarshalJSON(b)
			return decoded{measureMetrics(request.Metrics()), request.MarshalProto, request.MarshalJSON}, err
		},
		func(b []byte) error { return pmetricotlp.NewExportRequest().UnmarshalProto(b) },
		func(b []byte) error { return pmetricotlp.NewExportRequest().UnmarshalJSON(b) },
	},
	{
		"logs", Logs,
		func(b []byte) (decoded, error) {
			request := plogotlp.NewExportRequest()
			err := request.UnmarshalProto(b)
			return decoded{measureLogs(request.Logs()), request.MarshalProto, request.MarshalJSON}, err
		},
		func(b []byte) (decoded, error) {
			request := plogotlp.NewExportRequest()
			err := request.UnmarshalJSON(b)
			return decoded{measureLogs(request.Logs()), request.MarshalProto, request.MarshalJSON}, err
		},
		func(b []byte) error { return plogotlp.NewExportRequest().UnmarshalProto(b) },
		func(b []byte) error { return plogotlp.NewExportRequest().UnmarshalJSON(b) },
	},
}
