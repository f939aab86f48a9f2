//go:generate go tool mdatagen metadata.yaml

// Package storageguardextension checks the files of file_storage before any component opens them. It
// renames damaged files, which would end the process. It does so when the collector creates the extension.
package storageguardextension
