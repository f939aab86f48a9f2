//go:build !windows

package main

import "go.opentelemetry.io/collector/otelcol"

// run runs the command.
func run(set otelcol.CollectorSettings) error { return runCommand(set) }
