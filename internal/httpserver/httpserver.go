// Package httpserver runs an HTTP server with the settings of confighttp for as long as a
// component runs.
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
)

// lastAnswers is how long requests can take that are being answered at a shutdown.
const lastAnswers = 2 * time.Second

// Server is one HTTP server of a component. Its fields are set before Start.
type Server struct {
	// Setting is the server's key in the configuration, which errors name.
	Setting   string
	Config    *Config
	Telemetry component.TelemetrySettings
	Handler   http.Handler

	http *http.Server // since Start
	done sync.WaitGroup
}

// Start listens and serves in the background. That the server ends by itself is reported as
// the component's status.
func (s *Server) Start(ctx context.Context, host component.Host) error {
	config := &s.Config.ServerConfig
	listener, err := config.ToListener(ctx)
	if err != nil {
		return s.named(err)
	}
	s.http, err = config.ToServer(ctx, host.GetExtensions(), s.Telemetry, checkHosts(s.Setting+"::allowed_hosts", s.Config, s.Handler))
	if err != nil {
		return errors.Join(s.named(err), listener.Close())
	}
	s.done.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(s.named(err)))
		}
	})
	return nil
}

func (s *Server) named(err error) error { return fmt.Errorf("%s: %w", s.Setting, err) }

// Shutdown waits for the answers under way, for 2 s at the most, and ends the server. One that
// was never started has nothing to end.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.http == nil {
		return nil
	}
	// A client that keeps its request open must not keep the collector.
	ctx, cancel := context.WithTimeout(ctx, lastAnswers)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	s.done.Wait()
	return err
}
