//go:generate go tool mdatagen metadata.yaml

// Package runtimelogreceiver reads text log files. Below it, tail finds, follows and reads
// the files, containerlog parses lines of container runtimes, assemble makes records of
// lines, and progress stores how far each file was delivered. Package
// conventions/logformat knows the formats. This package renders records (batch.go) and
// delivers them until they are accepted (deliver.go).
package runtimelogreceiver
