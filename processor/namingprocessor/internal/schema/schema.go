// SPDX-License-Identifier: Apache-2.0

// Package schema knows whether telemetry still follows the schema that it states.
package schema

import "github.com/otelcol-tc/otelcol-tc/conventions/naming"

// Schema is the schema of a resource or of a scope. The zero Schema is that of telemetry that states none.
type Schema struct {
	url    string
	broken bool
}

// Of returns the schema of a URL, which nothing has broken yet.
func Of(url string) Schema { return Schema{url: url} }

// Changed records the change of a metric's name or an attribute's key. A name that the schema defines is
// gone then: who reads the URL would look for it.
func (s *Schema) Changed(name string) {
	if s.url != "" && !s.broken {
		s.broken = naming.InSchema(s.url, name)
	}
}

// Broken reports whether the telemetry no longer follows the schema.
func (s *Schema) Broken() bool { return s.broken }
