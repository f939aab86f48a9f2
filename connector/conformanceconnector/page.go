package conformanceconnector

import (
	"embed"
	"io/fs"
	"net/http"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
)

// assets are all that a browser gets besides JSON.
//
//go:embed page
var assets embed.FS

// newPage serves the last report to browsers and programs. It only reads.
func newPage(config *httpserver.Config, telemetry component.TelemetrySettings, last func() *Report) *httpserver.Server {
	return &httpserver.Server{Setting: "page", Config: config, Telemetry: telemetry, Handler: newHandler(last)}
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
