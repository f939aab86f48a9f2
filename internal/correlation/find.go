package correlation

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
)

// Find returns an index of the service. Errors name the setting and its value.
func Find(host component.Host, id component.ID) (Index, error) {
	extension, ok := host.GetExtensions()[id]
	if !ok {
		return nil, fmt.Errorf("index: must be an extension of the service (got %q)", id)
	}
	found, ok := extension.(Index)
	if !ok {
		return nil, fmt.Errorf("index: must be a correlation_index extension (got %q)", id)
	}
	return found, nil
}
