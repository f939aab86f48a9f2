// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// Rules whose findings explain errors of validate.
const (
	invalid          = "invalid"
	unknownComponent = "unknown-component"
)

// removed are the components that no distribution has any more, by their section and type.
var removed = map[string]string{
	"exporters::logging": "debug",
	"exporters::jaeger":  "otlp_grpc",
}

// isOpaque reports whether the component's settings cannot be read.
func isOpaque(d declared) bool {
	_, is := d.config.(opaque)
	return is
}

// known reports whether this distribution has the component.
func (c *configuration) known(d declared) bool {
	types := map[string]func(declared) bool{
		receivers:  func(d declared) bool { return c.factories.Receivers[d.id.Type()] != nil },
		processors: func(d declared) bool { return c.factories.Processors[d.id.Type()] != nil },
		exporters:  func(d declared) bool { return c.factories.Exporters[d.id.Type()] != nil },
		connectors: func(d declared) bool { return c.factories.Connectors[d.id.Type()] != nil },
		extensions: func(d declared) bool { return c.factories.Extensions[d.id.Type()] != nil },
	}
	return types[d.section](d)
}

// findUnknownComponents reports each type once. A configuration of another distribution is no fault.
func findUnknownComponents(c *configuration, report reporter) {
	seen := map[string]bool{}
	for _, d := range c.all() {
		name := setting([]string{d.section, d.typ.String()})
		if c.known(d) || seen[name] {
			continue
		}
		seen[name] = true
		if instead, ok := removed[name]; ok {
			report(Warning, d.path(), fmt.Sprintf("%s was removed from the collector", name), "write "+instead)
			continue
		}
		report(Note, d.path(), fmt.Sprintf("%s is not in this distribution, so its settings are not checked", name),
			"`otelcol-tc components` lists what is in it")
	}
}

func findInvalid(c *configuration, report reporter) {
	for _, f := range c.faults {
		report(Warning, f.path, f.text, "`otelcol-tc validate` refuses it")
	}
}

// isSink reports whether an exporter keeps no data.
var isSink = isOf("debug", "nop", "logging")

func findNoBackend(c *configuration, report reporter) {
	all := c.used(exporters)
	if len(all) > 0 && !slices.ContainsFunc(all, func(d declared) bool { return !isSink(d) }) {
		names := make([]string, len(all))
		for i, d := range all {
			names[i] = d.id.String()
		}
		report(Warning, []string{"service", "pipelines"},
			fmt.Sprintf("no data leaves the collector: the exporters of all pipelines are %s", strings.Join(names, ", ")),
			"add the exporter of your backend to the pipelines")
	}
}

// httpEndpoints are the settings of an HTTP client with a URL.
var httpEndpoints = []string{"endpoint", "traces_endpoint", "metrics_endpoint", "logs_endpoint", "profiles_endpoint"}

func findEndpointWithoutScheme(c *configuration, report reporter) {
	for _, d := range c.used(exporters, extensions) {
		for _, g := range d.groups() {
			if !g.has("max_idle_conns") { // of every HTTP client, and of no gRPC client
				continue
			}
			for _, name := range httpEndpoints {
				if url := g.text(name); url != "" && !strings.Contains(url, "://") {
					report(Warning, below(g.path, name), fmt.Sprintf("%s: %q is no URL, so nothing can be sent", setting(below(g.path, name)), redact.Address(url)),
						"begin it with http:// or https://")
				}
			}
		}
	}
}

// noNames are characters of other pattern languages, which are in no metric name.
const noNames = `[](){}^$|+?\`

// findDeadPattern checks globs of metric names. In them only a star is special, and no text is invalid.
func findDeadPattern(c *configuration, report reporter) {
	for _, d := range c.used(processors, extensions) {
		if !isOf("naming", "conventions")(d) {
			continue
		}
		globs, _ := settingOf[[]string](d.top(), "exempt")
		for _, glob := range globs {
			if strings.ContainsAny(glob, noNames) {
				report(Warning, d.path("exempt", glob), fmt.Sprintf("%s: %q matches no metric: only * is special in it", setting(d.path("exempt")), glob),
					"write a name, with * for any text")
			}
		}
	}
}
