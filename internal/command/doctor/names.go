// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
)

func findUnused(c *configuration, report reporter) {
	used := c.used(receivers, processors, exporters, connectors, extensions)
	for _, d := range c.all() {
		if slices.ContainsFunc(used, d.is) {
			continue
		}
		text, fix := fmt.Sprintf("%s::%s is in no pipeline", d.section, d.id), "name it in a pipeline, or remove it"
		if d.section == extensions {
			text, fix = fmt.Sprintf("%s::%s is not in service::extensions", d.section, d.id), "name it there, or remove it"
		}
		severity := Note
		// The user expects of a processor that it changes or protects data. A configuration may declare it for the
		// configurations that are merged over it.
		if d.section == processors && c.sources.position(d.path()).order == len(c.sources.uris)-1 {
			severity = Warning
		}
		report(severity, d.path(), text, fix)
	}
}

// findDeprecatedName reports each name once.
func findDeprecatedName(c *configuration, report reporter) {
	seen := map[string]bool{}
	for _, d := range c.all() {
		if name := setting([]string{d.section, d.id.Type().String()}); d.id.Type() != d.typ && !seen[name] {
			seen[name] = true
			report(Note, d.path(), fmt.Sprintf("%s::%s: %q is an old name of %q", d.section, d.id, d.id.Type(), d.typ),
				fmt.Sprintf("write %s here and in the pipelines", component.NewIDWithName(d.typ, d.id.Name())))
		}
	}
}

// findExtensionNotEnabled checks all settings that name an extension, such as storage, index and
// authenticator.
func findExtensionNotEnabled(c *configuration, report reporter) {
	for _, d := range c.used(receivers, processors, exporters, connectors, extensions) {
		for _, g := range d.groups() {
			for name := range g.fields {
				id, ok := settingOf[component.ID](g, name)
				if ok && id.Type().String() != "" && !slices.Contains(c.Service.Extensions, id) {
					report(Warning, below(g.path, name),
						fmt.Sprintf("%s: %q is not in service::extensions", setting(below(g.path, name)), id),
						"declare it in extensions and name it there")
				}
			}
		}
	}
}

func findDebugDetailed(c *configuration, report reporter) {
	for _, d := range c.used(exporters) {
		if !isOf("debug")(d) {
			continue
		}
		if verbosity := fmt.Sprint(resolve(d.top().fields["verbosity"])); strings.EqualFold(verbosity, "detailed") {
			report(Warning, d.path("verbosity"), fmt.Sprintf("%q writes all data to the log", d.id), "verbosity: basic")
		}
	}
}

func findWaitForMetadata(c *configuration, report reporter) {
	for _, d := range c.used(processors) {
		if d.top().on("wait_for_metadata") {
			report(Warning, d.path("wait_for_metadata"), fmt.Sprintf("%q waits for the Kubernetes API at the start", d.id),
				"wait_for_metadata: false")
		}
	}
}
