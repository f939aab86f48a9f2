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

// Only a binary built for it has this: main is generated and takes nothing of the kind.
func init() {
	address := os.Getenv(profileVariable)
	if address == "" {
		return
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintf(os.Stderr, "otelcol-tc: %s: %v\n", profileVariable, err)
		os.Exit(1)
	}
	go func() { _ = http.Serve(listener, nil) }() // until the process ends
}
