// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/otelcol"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
)

// run runs the collector as a Windows service if the service manager started the process, else it runs the
// command.
func run(set otelcol.CollectorSettings) error {
	// The service manager passes the name.
	err := svc.Run("", service{otelcol.NewSvcHandler(set)})
	if errors.Is(err, windows.ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
		return runCommand(set) // not started by the service manager
	}
	if err != nil {
		return fmt.Errorf("run the service: %w", err)
	}
	return nil
}

// service is the collector as a Windows service.
type service struct{ svc.Handler }

// Execute implements svc.Handler.
func (s service) Execute(args []string, requests <-chan svc.ChangeRequest, changes chan<- svc.Status) (bool, uint32) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := tune(ctx); err != nil {
		return false, uint32(windows.ERROR_EXCEPTION_IN_SERVICE)
	}
	return s.Handler.Execute(args, requests, changes)
}
