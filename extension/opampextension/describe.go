// SPDX-License-Identifier: Apache-2.0

package opampextension

import (
	"crypto/sha256"
	"maps"
	"os"
	"runtime"
	"slices"

	"github.com/open-telemetry/opamp-go/protobufs"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/status"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/service"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// identifying are the attributes by which a server tells agents apart.
var identifying = []string{"service.instance.id", "service.name", "service.version"}

// description returns what describes the agent, without secrets.
func description(cfg AgentDescription, set extension.Settings) (*protobufs.AgentDescription, error) {
	hostname, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	known := map[string]string{"service.name": set.BuildInfo.Command, "service.version": set.BuildInfo.Version}
	more := map[string]string{"os.type": runtime.GOOS, "host.arch": runtime.GOARCH, "host.name": hostname}
	maps.Copy(more, cfg.NonIdentifyingAttributes)
	for name, value := range set.Resource.Attributes().All() {
		switch {
		case slices.Contains(identifying, name):
			known[name] = value.AsString()
		case cfg.IncludeResourceAttributes:
			more[name] = value.AsString()
		}
	}
	return &protobufs.AgentDescription{IdentifyingAttributes: attributes(known), NonIdentifyingAttributes: attributes(more)}, nil
}

// attributes returns attributes in the order of their names, without secrets.
func attributes(texts map[string]string) []*protobufs.KeyValue {
	var list []*protobufs.KeyValue
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		value := &protobufs.AnyValue_StringValue{StringValue: redact.Setting(name, texts[name])}
		list = append(list, &protobufs.KeyValue{Key: name, Value: &protobufs.AnyValue{Value: value}})
	}
	return list
}

func components(modules service.ModuleInfos) *protobufs.AvailableComponents {
	hash := sha256.New()
	available := &protobufs.AvailableComponents{Components: map[string]*protobufs.ComponentDetails{}}
	for kind, types := range map[string]map[component.Type]service.ModuleInfo{
		"receivers": modules.Receiver, "processors": modules.Processor, "exporters": modules.Exporter,
		"extensions": modules.Extension, "connectors": modules.Connector,
	} {
		details := map[string]*protobufs.ComponentDetails{}
		for name, module := range types {
			details[name.String()] = &protobufs.ComponentDetails{Metadata: attributes(map[string]string{"code.namespace": module.BuilderRef})}
		}
		available.Components[kind] = &protobufs.ComponentDetails{SubComponentMap: details}
	}
	for _, kind := range slices.Sorted(maps.Keys(available.Components)) {
		details := available.Components[kind].SubComponentMap
		for _, name := range slices.Sorted(maps.Keys(details)) {
			for _, text := range []string{kind, name, details[name].Metadata[0].Value.GetStringValue()} {
				hash.Write([]byte(text + "\n"))
			}
		}
	}
	available.Hash = hash.Sum(nil)
	return available
}

// health returns a status with those below it, without secrets.
func health(state *status.AggregateStatus) *protobufs.ComponentHealth {
	is := &protobufs.ComponentHealth{
		Healthy:            state.Status() == componentstatus.StatusOK,
		Status:             state.Status().String(),
		StatusTimeUnixNano: uint64(state.Timestamp().UnixNano()),
		ComponentHealthMap: map[string]*protobufs.ComponentHealth{},
	}
	if state.Err() != nil {
		is.LastError = redact.Setting("", state.Err().Error())
	}
	for name, below := range state.ComponentStatusMap {
		is.ComponentHealthMap[name] = health(below)
	}
	return is
}
