// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Extension is what the conventions extension implements.
type Extension interface {
	component.Component
	Live() *Live
}

// Find returns the conventions extension of the service, or nil without one. Two are an error.
func Find(host component.Host) (found Extension, err error) {
	var ids []component.ID
	for id, e := range host.GetExtensions() {
		if extension, ok := e.(Extension); ok {
			found, ids = extension, append(ids, id)
		}
	}
	return found, atMostOne(ids)
}

// atMostOne returns an error for several conventions extensions of the service.
func atMostOne(ids []component.ID) error {
	if len(ids) < 2 {
		return nil
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	slices.Sort(names)
	return fmt.Errorf("service::extensions: must have at most one conventions extension (got %s)", strings.Join(names, ", "))
}

// packs returns the list of packs, which an empty setting stands for too.
func (c *Config) packs() []any {
	if len(c.Packs) == 0 {
		return []any{conventions.Builtins}
	}
	return c.Packs
}
