// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

func TestOTLPReceivers(t *testing.T) {
	f := func(text string, want ...conformance.Receiver) {
		t.Helper()
		retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
		require.NoError(t, err)
		conf, err := retrieved.AsConf()
		require.NoError(t, err)
		assert.Equal(t, append([]conformance.Receiver{}, want...), otlpReceivers(conf))
	}
	f("receivers: {otlp: {protocols: {grpc: , http: }}}") // no pipeline has it
	f(`
receivers: {otlp: {protocols: {grpc: , http: }}, nop: }
service: {pipelines: {traces: {receivers: [nop, otlp]}, logs: {receivers: [otlp]}}}`,
		conformance.Receiver{ID: "otlp", Protocol: "grpc", Endpoint: "localhost:4317"},
		conformance.Receiver{ID: "otlp", Protocol: "http", Endpoint: "localhost:4318"})
	f(`
receivers:
  otlp/b: {protocols: {grpc: {endpoint: "0.0.0.0:1", tls: {cert_file: a, key_file: b}, auth: {authenticator: bearertokenauth}}}}
  otlp/a: {protocols: {http: {endpoint: "127.0.0.1:2", tls: {cert_file: a, key_file: b}, auth: {authenticator: bearertokenauth}}}}
service: {pipelines: {traces: {receivers: [otlp/b, otlp/a]}}}`,
		conformance.Receiver{ID: "otlp/a", Protocol: "http", Endpoint: "127.0.0.1:2", TLS: true, Auth: true},
		conformance.Receiver{ID: "otlp/b", Protocol: "grpc", Endpoint: "0.0.0.0:1", TLS: true, Auth: true})
	// The collector does not start with these.
	f("service: {pipelines: {traces: {receivers: [otlp, 1, a/b/c]}, logs: 1}}")
	f(`
receivers: {otlp: {protocols: {http: {endpoint: [1]}}}, otlp/text: no map}
service: {pipelines: {traces: {receivers: [otlp, otlp/text]}}}`)
	f("service: {pipelines: 1}")
	f("{}")
}
