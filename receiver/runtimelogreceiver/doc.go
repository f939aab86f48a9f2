//go:generate go tool mdatagen metadata.yaml

// Package runtimelogreceiver reads text log files. The file consumer of pkg/stanza
// finds, follows and reads the files; package conventions/logformat knows the
// formats; this package makes records of lines (record.go), delivers them until they
// are accepted (deliver.go), and remembers what has been (progress.go).
package runtimelogreceiver
