// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"maps"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// otlpReceivers returns where the OTLP receivers of the pipelines listen, by id and protocol. It leaves out receivers
// whose settings it cannot read: the collector does not start with them.
func otlpReceivers(conf *confmap.Conf) []conformance.Receiver {
	all := []conformance.Receiver{}
	for _, key := range used(conf) {
		var id component.ID
		if id.UnmarshalText([]byte(key)) != nil || id.Type() != otlpreceiver.NewFactory().Type() {
			continue
		}
		sub, err := conf.Sub("receivers" + confmap.KeyDelimiter + key)
		if err != nil {
			continue
		}
		cfg := otlpreceiver.NewFactory().CreateDefaultConfig().(*otlpreceiver.Config)
		if sub.Unmarshal(cfg) != nil {
			continue
		}
		if grpc := cfg.Protocols.GRPC.Get(); grpc != nil {
			all = append(all, conformance.Receiver{
				ID: key, Protocol: conformance.OverGRPC, Endpoint: grpc.NetAddr.Endpoint,
				TLS: grpc.TLS.HasValue(), Auth: grpc.Auth.HasValue(),
			})
		}
		if http := cfg.Protocols.HTTP.Get(); http != nil {
			server := &http.ServerConfig
			all = append(all, conformance.Receiver{
				ID: key, Protocol: conformance.OverHTTP, Endpoint: server.NetAddr.Endpoint,
				TLS: server.TLS.HasValue(), Auth: server.Auth.HasValue(),
			})
		}
	}
	return all
}

// used returns the ids of the receivers of all pipelines, sorted.
func used(conf *confmap.Conf) []string {
	pipelines, _ := conf.Get("service" + confmap.KeyDelimiter + "pipelines").(map[string]any)
	ids := map[string]bool{}
	for _, pipeline := range pipelines {
		settings, _ := pipeline.(map[string]any)
		receivers, _ := settings["receivers"].([]any)
		for _, receiver := range receivers {
			if id, ok := receiver.(string); ok {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}
