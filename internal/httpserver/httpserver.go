// SPDX-License-Identifier: Apache-2.0

// Package httpserver runs an HTTP server with the settings of confighttp while a component
// runs. A component sets the fields of Server, and calls Start and Shutdown from its own
// methods. It also keeps which program sent a request.
package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
)

// shutdownTimeout bounds the wait for requests in progress at a shutdown.
const shutdownTimeout = 2 * time.Second

// Server is an HTTP server of a component. Set its fields before Start.
type Server struct {
	// Setting is the server's key in the configuration. Errors begin with it.
	Setting   string
	Config    *Config
	Telemetry component.TelemetrySettings
	Handler   http.Handler

	http *http.Server // nil before Start
	url  string
	done sync.WaitGroup
}

// Start listens and serves in the background. If the server ends by itself, the component
// reports a recoverable error as its status.
func (s *Server) Start(ctx context.Context, host component.Host) error {
	config := &s.Config.ServerConfig
	listener, err := config.ToListener(ctx)
	if err != nil {
		return s.named(err)
	}
	s.http, err = config.ToServer(ctx, host.GetExtensions(), s.Telemetry, s.Handler, confighttp.WithErrorHandler(s.refuse))
	if err != nil {
		return errors.Join(s.named(err), listener.Close())
	}
	// Before authentication: no browser may ask for a password under a foreign name. Once that name resolves to
	// its owner's server, the browser would send the password there.
	s.http.Handler = checkHosts(s.Setting+"::allowed_hosts", s.Config, s.http.Handler)
	s.url = urlOf(config, listener.Addr())
	s.done.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(s.named(err)))
		}
	})
	return nil
}

// URL returns the address of the server for a browser. It is empty before Start.
func (s *Server) URL() string { return s.url }

func (s *Server) named(err error) error { return fmt.Errorf("%s: %w", s.Setting, err) }

// Shutdown waits up to 2 s for requests in progress and ends the server. It does nothing before
// Start.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.http == nil {
		return nil
	}
	// A client that keeps its request open must not delay the collector's shutdown.
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	s.done.Wait()
	return err
}
