package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// servePrometheus serves the scraped metrics of the runs until stop is called.
func servePrometheus(address string, runs []*run) (stop func(), err error) {
	var gatherers prometheus.Gatherers
	for _, r := range runs {
		if g, ok := r.generator.(scenario.Scraped); ok {
			gatherers = append(gatherers, g.Gatherer())
		}
	}
	if len(gatherers) == 0 {
		return nil, fmt.Errorf("--prometheus-listen %s: no chosen system is scraped: add tensorcast or fastdeploy to --system", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--prometheus-listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer
		if err := writeText(&text, gatherers); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", string(textFormat))
		_, _ = text.WriteTo(w)
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(listener) // ends with ErrServerClosed
	}()
	return func() {
		_ = srv.Close()
		<-done
	}, nil
}

// textFormat is the one format served, whatever a scraper accepts: in OpenMetrics
// a counter without _total could not be expressed.
var textFormat = expfmt.NewFormat(expfmt.TypeTextPlain)

func writeText(w io.Writer, g prometheus.Gatherer) error {
	families, err := g.Gather()
	if err != nil {
		return err
	}
	encoder := expfmt.NewEncoder(w, textFormat)
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return err
		}
	}
	return nil
}

// countSeries counts the sample lines of what writeText writes.
func countSeries(g prometheus.Gatherer) (int, error) {
	var text bytes.Buffer
	if err := writeText(&text, g); err != nil {
		return 0, err
	}
	n := 0
	for line := range bytes.Lines(text.Bytes()) {
		if line[0] != '#' {
			n++
		}
	}
	return n, nil
}
