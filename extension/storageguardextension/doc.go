//go:generate go tool mdatagen metadata.yaml

// Package storageguardextension looks at the files of file_storage before anybody opens them,
// and sets aside those that would end the process.
package storageguardextension
