// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/internal/serviceextension"
)

// Find returns what a component's setting index names. Errors name the setting and its
// value.
func Find(host component.Host, id component.ID) (Index, error) {
	return serviceextension.Find[Index](host, "index", id, "a correlation_index extension")
}
