// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// sources finds the texts of packs, to show where their rules are.
type sources map[string]*conventions.Source

// sourcesOf reads the packs of a setting again.
func sourcesOf(packs []any) (sources, error) {
	all := sources{}
	add := func(entry any) error {
		source, err := conventions.Read(entry)
		if err != nil {
			return err
		}
		if all[source.Pack.System] == nil {
			all[source.Pack.System] = source
		}
		return nil
	}
	builtin := false
	for _, entry := range packs {
		if entry == conventions.Builtins {
			builtin = true
			continue
		}
		if err := add(entry); err != nil {
			return nil, err
		}
	}
	if builtin || len(packs) == 0 {
		for _, name := range conventions.Builtin() {
			if err := add(name); err != nil {
				return nil, err
			}
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
