// Package storageextension finds what a component's setting storage names.
package storageextension

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// Find returns a storage extension of the service. Errors name the setting and its
// value.
func Find(host component.Host, id component.ID) (storage.Extension, error) {
	extension, ok := host.GetExtensions()[id]
	if !ok {
		return nil, fmt.Errorf("storage: must be an extension of the service (got %q)", id)
	}
	found, ok := extension.(storage.Extension)
	if !ok {
		return nil, fmt.Errorf("storage: must be a storage extension (got %q)", id)
	}
	return found, nil
}
