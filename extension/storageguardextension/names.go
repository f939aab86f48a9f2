// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import "regexp"

var (
	// clientFile matches file_storage's names: the kind, type and name of a component, and the name of the
	// store. Long names are hashes.
	clientFile = regexp.MustCompile(`^((receiver|processor|exporter|extension|connector|other)_[a-zA-Z][0-9a-zA-Z_]*_.*|[0-9a-f]{64})$`)
	// setAsideFile matches a damaged file, renamed by this extension or by file_storage's own recreate.
	setAsideFile = regexp.MustCompile(`(\.damaged-\d{8}T\d{6}\.\d{3}Z|\.\d{8}T\d{6}\.\d{3}[^.]*\.backup)$`)
)

// isClientFile reports whether file_storage may open a file of this name. The guard does not touch other
// files.
func isClientFile(name string) bool {
	return clientFile.MatchString(name) && !setAsideFile.MatchString(name)
}
