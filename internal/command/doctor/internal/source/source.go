// SPDX-License-Identifier: Apache-2.0

// Package source finds settings in the texts of a configuration, which the providers returned: the text and the line that
// set a setting.
package source

import (
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

// Sources are the texts of a configuration. They are not safe for concurrent use.
type Sources struct {
	// URIs are those of the command line, with a scheme. Later ones are merged over earlier ones.
	URIs []string

	values  *cli.Values // the texts by URI, with those of included texts
	indices map[*yaml.Node]map[string][]int
}

// New returns the sources of the values of --config, from what is retrieved of them.
func New(configs []string, values *cli.Values) *Sources {
	s := &Sources{values: values, indices: map[*yaml.Node]map[string][]int{}}
	for _, config := range configs {
		s.URIs = append(s.URIs, cli.URI(config))
	}
	return s
}

// Unset returns the requested variables without a value or default.
func (s *Sources) Unset() map[string]bool {
	unset := map[string]bool{}
	for _, uri := range s.values.URIs() {
		if name, ok := strings.CutPrefix(uri, "env:"); ok && !strings.Contains(name, ":-") {
			if _, set := os.LookupEnv(name); !set {
				unset[name] = true
			}
		}
	}
	return unset
}
