// SPDX-License-Identifier: Apache-2.0

// Package serviceextension finds the extensions that components name in their settings.
package serviceextension

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
)

// Find returns the extension that a setting names. Kind describes the expected type, such as "a storage
// extension". Errors name the setting and its value.
func Find[T any](host component.Host, setting string, id component.ID, kind string) (T, error) {
	extension, ok := host.GetExtensions()[id]
	if !ok {
		var none T
		return none, fmt.Errorf("%s: must be an extension of the service (got %q)", setting, id)
	}
	found, ok := extension.(T)
	if !ok {
		return found, fmt.Errorf("%s: must be %s (got %q)", setting, kind, id)
	}
	return found, nil
}
