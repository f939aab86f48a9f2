// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/facts"
	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// refused are the rules whose findings explain errors of validate.
var refused = []Rule{
	{"invalid", "The collector does not start, or this release does not know the setting.", findInvalid},
	{"unknown-component", "What this distribution does not have cannot be checked.", findUnknownComponents},
	unsetVariable,
}

// components are the rules on single components.
var components = []Rule{
	{"no-backend", "All data is dropped.", findNoBackend},
	{"endpoint-without-scheme", "The collector starts, and every request fails.", findEndpointWithoutScheme},
	{"debug-detailed", "All data is written to the log, which costs many times as much as sending it.", findDebugDetailed},
	{"wait-for-metadata", "While the Kubernetes API was unavailable, the process neither served requests nor ended.", findWaitForMetadata},
	{"extension-not-enabled", "The collector does not start: a component needs an extension that the service lacks.", findExtensionNotEnabled},
	{"unused", "The component does not run, although it is configured.", findUnused},
	{"deprecated-name", "A later release removes the name, and the collector will not start.", findDeprecatedName},
}

func findInvalid(c *facts.Configuration, report reporter) {
	for _, fault := range c.Faults {
		report(Warning, fault.Path, fault.Text, "`otelcol-tc validate` refuses it")
	}
}

// removed are the components that no distribution has any more, by their section and type.
var removed = map[string]string{
	"exporters::logging": "debug",
	"exporters::jaeger":  "otlp_grpc",
}

// findUnknownComponents reports each type once. A configuration of another distribution is no fault.
func findUnknownComponents(c *facts.Configuration, report reporter) {
	seen := map[string]bool{}
	for _, declared := range c.Components {
		name := facts.Name([]string{declared.Section, declared.Type.String()})
		if declared.Known || seen[name] {
			continue
		}
		seen[name] = true
		if instead, ok := removed[name]; ok {
			report(Warning, declared.Path(), name+" was removed from the collector", "write "+instead)
			continue
		}
		report(Note, declared.Path(), name+" is not in this distribution, so its settings are not checked", "`otelcol-tc components` lists what is in it")
	}
}

// isSink reports whether an exporter keeps no data.
var isSink = facts.IsOf("debug", "nop", "logging")

func findNoBackend(c *facts.Configuration, report reporter) {
	var names []string
	for _, exporter := range c.Used(facts.Exporters) {
		if !isSink(exporter) {
			return
		}
		names = append(names, exporter.ID.String())
	}
	if len(names) > 0 {
		report(Warning, []string{"service", "pipelines"}, "no data leaves the collector: the exporters of all pipelines are "+strings.Join(names, ", "),
			"add the exporter of your backend to the pipelines")
	}
}

// httpEndpoints are the settings of an HTTP client with a URL.
var httpEndpoints = []string{"endpoint", "traces_endpoint", "metrics_endpoint", "logs_endpoint", "profiles_endpoint"}

func findEndpointWithoutScheme(c *facts.Configuration, report reporter) {
	for _, client := range c.Used(facts.Exporters, facts.Extensions) {
		for _, level := range client.Levels {
			if !level.Has("force_attempt_http2") { // of every HTTP client, and of no gRPC client
				continue
			}
			for _, name := range httpEndpoints {
				path := facts.Below(level.Path, name)
				if url := level.Text(name); url != "" && !strings.Contains(url, "://") {
					report(Warning, path, fmt.Sprintf("%s: %q is no URL, so nothing can be sent", facts.Name(path), redact.Endpoint(url)),
						"begin it with http:// or https://")
				}
			}
		}
	}
}

func findDebugDetailed(c *facts.Configuration, report reporter) {
	for _, exporter := range c.Used(facts.Exporters) {
		if exporter.Is("debug") && strings.EqualFold(exporter.Settings().Text("verbosity"), "detailed") {
			report(Warning, exporter.Path("verbosity"), fmt.Sprintf("%q writes all data to the log", exporter.ID), "verbosity: basic")
		}
	}
}

func findWaitForMetadata(c *facts.Configuration, report reporter) {
	for _, processor := range c.Used(facts.Processors) {
		if processor.Settings().On("wait_for_metadata") {
			report(Warning, processor.Path("wait_for_metadata"), fmt.Sprintf("%q waits for the Kubernetes API at the start", processor.ID),
				"wait_for_metadata: false")
		}
	}
}

// findExtensionNotEnabled checks all settings that name an extension, such as storage, index and authenticator.
func findExtensionNotEnabled(c *facts.Configuration, report reporter) {
	enabled := map[component.ID]bool{{}: true} // no extension
	for _, extension := range c.Used(facts.Extensions) {
		enabled[extension.ID] = true
	}
	for _, used := range c.Used() {
		for _, level := range used.Levels {
			for name, id := range facts.All[component.ID](level) {
				if !enabled[id] {
					path := facts.Below(level.Path, name)
					report(Warning, path, fmt.Sprintf("%s: %q is not in service::extensions", facts.Name(path), id), "declare it in extensions and name it there")
				}
			}
		}
	}
}

// findUnused reports processors as warnings: the user expects of them that they change or protect data. A configuration
// may declare one for the configurations that are merged over it.
func findUnused(c *facts.Configuration, report reporter) {
	for _, declared := range c.Components {
		if declared.Used {
			continue
		}
		name := facts.Name(declared.Path())
		text, fix := name+" is in no pipeline", "name it in a pipeline, or remove it"
		if declared.Section == facts.Extensions {
			text, fix = name+" is not in service::extensions", "name it there, or remove it"
		}
		severity := Note
		if declared.Section == facts.Processors && c.Sources.Position(declared.Path()).Order == len(c.Sources.URIs)-1 {
			severity = Warning
		}
		report(severity, declared.Path(), text, fix)
	}
}

// findDeprecatedName reports each name once.
func findDeprecatedName(c *facts.Configuration, report reporter) {
	var seen []string
	for _, declared := range c.Components {
		old := declared.ID.Type()
		if name := facts.Name([]string{declared.Section, old.String()}); old != declared.Type && !slices.Contains(seen, name) {
			seen = append(seen, name)
			report(Note, declared.Path(), fmt.Sprintf("%s: %q is an old name of %q", facts.Name(declared.Path()), old, declared.Type),
				fmt.Sprintf("write %s here and in the pipelines", component.NewIDWithName(declared.Type, declared.ID.Name())))
		}
	}
}
