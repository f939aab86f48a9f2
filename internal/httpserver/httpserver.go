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
	"go.opentelemetry.io/collector/config/confighttp"
)

// lastAnswers is how long requests can take that are being answered at a shutdown.
const lastAnswers = 2 * time.Second

// Server is one HTTP server of a component. Its fields are set before Start.
type Server struct {
	// Setting is the server's key in the component's configuration, which errors name.
	Setting   string
	Config    *confighttp.ServerConfig
	Telemetry component.TelemetrySettings
	Handler   http.Handler

	http *http.Server // since Start
	done sync.WaitGroup
}

// Start listens and serves in the background. That the server ends by itself is reported as
// the component's status.
func (s *Server) Start(ctx context.Context, host component.Host) error {
	listener, err := s.Config.ToListener(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Setting, err)
	}
	s.http, err = s.Config.ToServer(ctx, host.GetExtensions(), s.Telemetry, s.Handler)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", s.Setting, err), listener.Close())
	}
	s.done.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(fmt.Errorf("%s: %w", s.Setting, err)))
		}
	})
	return nil
}

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
