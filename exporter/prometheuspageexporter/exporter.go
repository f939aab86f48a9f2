// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/page"
	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
)

const (
	// expiryInterval is how often expired series are removed if there are no scrapes.
	expiryInterval = 10 * time.Second
	mib            = 1 << 20
)

type pageExporter struct {
	page   *page.Page
	walks  *walks
	report *report
	server *httpserver.Server

	stop context.CancelFunc // nil before the start
	done sync.WaitGroup
}

func newExporter(set exporter.Settings, cfg *Config) (*pageExporter, error) {
	p := page.New(page.Limits{Memory: int64(cfg.MaxMemoryMib) * mib, Text: int64(cfg.MaxPageMib) * mib}, cfg.MetricExpiration)
	report, err := newReport(set, p)
	if err != nil {
		return nil, err
	}
	e := &pageExporter{page: p, walks: newWalks(p), report: report}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", newScrapes(promhttp.HandlerFor(prometheus.GathererFunc(e.gather), promhttp.HandlerOpts{
		// The only possible error is that the client has disconnected.
		ErrorHandling:     promhttp.HTTPErrorOnError,
		EnableOpenMetrics: true,
	})))
	e.server = &httpserver.Server{
		Setting: "exporters::" + set.ID.String(), Config: &cfg.ServerConfig, Telemetry: set.TelemetrySettings, Handler: mux,
	}
	return e, nil
}

func (e *pageExporter) start(ctx context.Context, host component.Host) error {
	if err := e.server.Start(ctx, host); err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	e.done.Go(func() { periodic.Run(running, expiryInterval, e.expire) })
	return nil
}

func (e *pageExporter) shutdown(ctx context.Context) error {
	if e.stop != nil {
		e.stop()
	}
	e.done.Wait()
	e.report.shutdown()
	return e.server.Shutdown(ctx)
}

func (e *pageExporter) consume(_ context.Context, batch pmetric.Metrics) error {
	refused := e.walks.batch(batch, time.Now())
	e.report.refused(refused)
	return nil
}

func (e *pageExporter) gather() ([]*dto.MetricFamily, error) {
	e.expire(time.Now())
	return e.page.Gather()
}

func (e *pageExporter) expire(now time.Time) {
	e.report.expired(e.page.Expire(now))
}
