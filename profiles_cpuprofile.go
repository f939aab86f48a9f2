//go:build cpuprofile

package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof" // registers the handlers
	"os"
)

// profileVariable names the address, of this machine only, where profiles of the process are to
// be had, as by GET /debug/pprof/profile?seconds=10. `make pgo` makes default.pgo of them.
const profileVariable = "OTELCOL_TC_PPROF_ADDRESS"

// serveProfiles serves profiles of the process until it ends, at the address in the variable.
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
