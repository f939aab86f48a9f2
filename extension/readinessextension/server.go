package readinessextension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
)

// answerTime is how long a probe may take to ask, and to be answered at a shutdown.
const answerTime = 2 * time.Second

// server answers probes and people.
type server struct {
	config    *confighttp.ServerConfig
	telemetry component.TelemetrySettings
	handler   http.Handler

	http *http.Server // since start
	done sync.WaitGroup
}

func (s *server) start(ctx context.Context, host component.Host) error {
	listener, err := s.config.ToListener(ctx)
	if err != nil {
		return fmt.Errorf("http: %w", err)
	}
	s.http, err = s.config.ToServer(ctx, host.GetExtensions(), s.telemetry, s.handler)
	if err != nil {
		return errors.Join(fmt.Errorf("http: %w", err), listener.Close())
	}
	s.done.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(fmt.Errorf("http: %w", err)))
		}
	})
	return nil
}

func (s *server) shutdown(ctx context.Context) error {
	if s.http == nil {
		return nil
	}
	// A client that keeps its request open must not keep the collector.
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	s.done.Wait()
	return err
}

// Answer is the body of an answer.
type Answer struct {
	Ready      bool        `json:"ready"`
	Conditions []Condition `json:"conditions"`
}

func newHandler(conditions func() []Condition) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer := Answer{Conditions: conditions()}
		if answer.Conditions == nil {
			answer.Conditions = []Condition{}
		}
		answer.Ready = ready(answer.Conditions)
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		if !answer.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ") // for people
		_ = encoder.Encode(answer)  // to a client that may have gone
	})
	return mux
}
