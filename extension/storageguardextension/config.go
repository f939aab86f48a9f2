// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import (
	"fmt"

	"github.com/otelcol-tc/otelcol-tc/internal/settings"
)

// The functions below are called by generated_config.go. Each error names the key, the rule and the value.

func validateDirectory(directory string) error {
	if directory == "" {
		return fmt.Errorf("directory: must be that of a file_storage extension (got %q)", directory)
	}
	return nil
}

func validateKeep(keep int) error { return settings.AtLeast("keep", keep, 1) }
