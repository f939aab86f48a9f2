// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"time"
)

// fileTrials read the lines of files, and find the same fields in them.
func fileTrials(_ context.Context, s scope) ([]trial, error) {
	if !slices.Contains(s.signals, "logs") {
		return nil, nil
	}
	ours := asShipped.files("runtime_log → nop", config("runtime_log")).atMost(1. / 3)
	ours.maxCPU = 2 * time.Microsecond
	return []trial{{newLineLoad(linesPerFile), []pipeline{
		stockDefault.files("file_log, regex_parser → nop", config("file_log"), config("file_log_regex")),
		ours,
		stockDefault.files("file_log → nop", config("file_log")),
	}}}, nil
}
