// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package runtimelogreceiver reads log files of programs and containers. Package internal/tail
// finds and reads the files, internal/containerlog parses the lines of container runtimes,
// internal/assemble assembles lines to records, and internal/progress stores how far each file
// was delivered. Package conventions/logformat parses records. This package renders records
// (batch.go) and delivers them until they are accepted (deliver.go).
package runtimelogreceiver
