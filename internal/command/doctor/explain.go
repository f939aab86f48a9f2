// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Explain returns where the settings are that `otelcol-tc validate` refuses: a line for each, which begins with the
// file, the line and the key. It returns nothing if it does not know.
func Explain(ctx context.Context, set Settings, configs, sets []string) []string {
	uris, err := urisOf(configs, sets)
	if err != nil {
		return nil
	}
	factories, err := set.Factories()
	if err != nil {
		return nil
	}
	c, err := load(ctx, factories, set.Providers, uris)
	if err != nil {
		if c.sources.isYAMLFault(err) {
			return []string{err.Error()}
		}
		return nil
	}
	// A variable that is not set is a fault here.
	var findings []Finding
	for _, r := range rules {
		if r.id == invalid || r.id == unknownComponent {
			findings = append(findings, r.apply(c)...)
		}
	}
	findings = append(findings, findUnsetVariables(c)...)
	var lines []string
	for _, f := range sorted(findings) {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text))
	}
	return lines
}

// isYAMLFault reports whether an error begins with a configuration's name and line.
func (s *sources) isYAMLFault(err error) bool {
	return slices.ContainsFunc(s.uris, func(uri string) bool { return strings.HasPrefix(err.Error(), displayName(uri)+":") })
}
