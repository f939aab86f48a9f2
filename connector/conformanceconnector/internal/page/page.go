// SPDX-License-Identifier: Apache-2.0

// Package page serves reports over HTTP, as a web page, as JSON and as CSV. It is read-only.
package page

import (
	"embed"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"reflect"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/draft"
)

// assets are all that a browser gets besides JSON.
//
//go:embed assets
var assets embed.FS

const apiPath = "/api/v1/"

// NewHandler returns the handler of the page and its API, which has the report, and each part of it under its name in
// JSON. last returns the report to show. read may be nil.
func NewHandler(last func() *report.Report, read Reading) http.Handler {
	files, err := fs.Sub(assets, "assets")
	if err != nil { // the folder is embedded above
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET "+apiPath+"report", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, last()) })
	for part := range reflect.TypeFor[conformance.Report]().Fields() {
		mux.HandleFunc("GET "+apiPath+part.Tag.Get("json"), func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, reflect.ValueOf(last().Report).FieldByIndex(part.Index).Interface())
		})
	}
	mux.HandleFunc("GET "+apiPath+"draft", func(w http.ResponseWriter, r *http.Request) { writeDraft(w, r, last()) })
	readers := &usages{last: last, read: read}
	mux.HandleFunc("GET "+apiPath+"usage", readers.serve)
	mux.HandleFunc("GET "+apiPath+"usage.yaml", readers.serveYAML)
	return secured(mux)
}

// writeJSON writes a report or a part of one. JSON can represent all of them.
func writeJSON(w http.ResponseWriter, part any) {
	body, err := json.Marshal(part)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body) //nolint:errcheck // the client disconnected
}

// writeDraft writes a draft of a pack for the service that the request names.
func writeDraft(w http.ResponseWriter, r *http.Request, last *report.Report) {
	pack, err := draft.Pack(&last.Report, r.FormValue("service"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	io.WriteString(w, pack) //nolint:errcheck // the client disconnected
}

// secured sets headers so that a browser loads and runs the page's own assets only, whatever a name in the
// telemetry contains.
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
