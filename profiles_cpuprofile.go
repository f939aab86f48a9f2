// SPDX-License-Identifier: Apache-2.0

//go:build cpuprofile

package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof" // registers the handlers
	"os"
)

// profileVariable contains the address that serves profiles of the process, as by GET
// /debug/pprof/profile?seconds=10. It must be an address of this machine. `make pgo` makes default.pgo
// from the profiles.
const profileVariable = "OTELCOL_TC_PPROF_ADDRESS"

// serveProfiles serves profiles at that address until the process ends.
func serveProfiles() error {
	address := os.Getenv(profileVariable)
	if address == "" {
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("%s: %w", profileVariable, err)
	}
	go func() { _ = http.Serve(listener, nil) }()
	return nil
}
