// SPDX-License-Identifier: Apache-2.0

package serviceextension

import (
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// FindStorage returns the storage extension that a component's setting storage names.
func FindStorage(host component.Host, id component.ID) (storage.Extension, error) {
	return Find[storage.Extension](host, "storage", id, "a storage extension")
}
