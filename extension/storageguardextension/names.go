package storageguardextension

import "regexp"

var (
	// clientFile is what file_storage calls its files: the kind, type and name of a component,
	// and what it calls this one of its stores. Long names are hashes.
	clientFile = regexp.MustCompile(`^((receiver|processor|exporter|extension|connector|other)_[a-zA-Z][0-9a-zA-Z_]*_.*|[0-9a-f]{64})$`)
	// setAsideFile is a damaged file: ours, or one of file_storage's own recreate.
	setAsideFile = regexp.MustCompile(`(\.damaged-\d{8}T\d{6}\.\d{3}Z|\.\d{8}T\d{6}\.\d{3}[^.]*\.backup)$`)
)

// isClientFile tells whether file_storage may open a file of this name. Others are not ours to
// touch, whatever is in them.
func isClientFile(name string) bool {
	return clientFile.MatchString(name) && !setAsideFile.MatchString(name)
}
