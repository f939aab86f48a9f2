// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	_ "embed"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

//go:embed general.yaml
var generalYAML []byte

const asciiLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// generalFormats returns the formats that belong to no system: those that general.yaml
// describes, and those that no layout can describe.
func generalFormats() ([]*Format, error) {
	var described struct {
		Formats []conventions.LogFormat `yaml:"formats"`
	}
	if err := yaml.Unmarshal(generalYAML, &described); err != nil {
		return nil, fmt.Errorf("general.yaml: %w", err)
	}
	// These are first: their lines are recognised at once.
	general := []*Format{
		{Name: "json", match: matchJSON, begins: begin("{")},
		{Name: "logfmt", match: matchLogfmt, begins: begin("tlsm")},
	}
	for i, description := range described.Formats {
		format, err := newFormat("", description)
		if err != nil {
			return nil, fmt.Errorf("general.yaml: formats.%d.%w", i, err)
		}
		general = append(general, format)
	}
	return append(general, &Format{Name: "python_warning", Joins: true, Indented: true, match: matchWarning, begins: begin("/<.~" + asciiLetters)}), nil
}
