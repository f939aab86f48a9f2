//go:generate go tool mdatagen metadata.yaml

// Package runtimelogreceiver reads text log files. Package internal/tail finds, follows and
// reads the files; internal/containerlog takes lines of container runtimes apart;
// conventions/logformat knows the formats. This package makes records of lines (file.go,
// record.go), delivers them until they are accepted (deliver.go), and stores how far each
// file was delivered (progress.go).
package runtimelogreceiver
