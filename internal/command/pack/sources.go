// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// sources finds the texts of packs, to show where their rules are.
type sources map[string]*conventions.Source

// sourcesOf reads the packs of a setting again. Of packs of one system the first decides.
func sourcesOf(packs []any) (sources, error) {
	entries := slices.DeleteFunc(slices.Clone(packs), func(entry any) bool { return entry == conventions.Builtins })
	if len(entries) < len(packs) || len(packs) == 0 {
		for _, name := range conventions.Builtin() {
			entries = append(entries, name)
		}
	}
	all := sources{}
	for _, entry := range entries {
		source, err := conventions.Read(entry)
		if err != nil {
			return nil, err
		}
		if all[source.Pack.System] == nil {
			all[source.Pack.System] = source
		}
	}
	return all, nil
}

// at returns the key of a rule and where it is.
func (s sources) at(system string, key []string) string {
	text := strings.Join(key, ".")
	source := s[system]
	if source == nil {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, position(source.File, source.Line(key...)))
}
