package conformanceconnector

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
)

// assets are all that a browser gets besides JSON.
//
//go:embed page
var assets embed.FS

// page serves the last report to browsers and programs. It only reads.
type page struct {
	config    *confighttp.ServerConfig
	telemetry component.TelemetrySettings
	handler   http.Handler

	server *http.Server // since start
	done   sync.WaitGroup
}

// lastAnswers is how long requests can take that are being answered at a shutdown.
const lastAnswers = 2 * time.Second

func newPage(config *confighttp.ServerConfig, telemetry component.TelemetrySettings, last func() *Report) *page {
	return &page{config: config, telemetry: telemetry, handler: newHandler(last)}
}

func (p *page) start(ctx context.Context, host component.Host) error {
	listener, err := p.config.ToListener(ctx)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	p.server, err = p.config.ToServer(ctx, host.GetExtensions(), p.telemetry, p.handler)
	if err != nil {
		return errors.Join(fmt.Errorf("page: %w", err), listener.Close())
	}
	p.done.Go(func() {
		if err := p.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(fmt.Errorf("page: %w", err)))
		}
	})
	return nil
}

func (p *page) shutdown(ctx context.Context) error {
	if p.server == nil {
		return nil
	}
	// A client that keeps its request open must not keep the collector.
	ctx, cancel := context.WithTimeout(ctx, lastAnswers)
	defer cancel()
	err := p.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = p.server.Close()
	}
	p.done.Wait()
	return err
}

func newHandler(last func() *Report) http.Handler {
	files, err := fs.Sub(assets, "page")
	if err != nil { // the folder is embedded above
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	for path, part := range parts {
		mux.Handle("GET "+apiPath+path, part.serve(last))
	}
	return secured(mux)
}

// secured has a browser run and load what is ours and nothing else, whatever a name in
// the telemetry contains.
func secured(next http.Handler) http.Handler {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}
