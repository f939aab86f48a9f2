// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"errors"
	"net"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/exporter"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/contact"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/lookup"
)

// rendezvous is the exporter of one signal. It runs after exporterhelper's queue and retries.
type rendezvous[T any] struct {
	cfg    *Config
	set    exporter.Settings
	signal signal[T]
	pool   pool[T]
	leave  func() // ends the look-up; nil if endpoints are configured
	report *report[T]
}

var errNoList = errors.New("one of endpoints and dns::hostname must be set")

func newRendezvous[T any](set exporter.Settings, cfg *Config, signal signal[T]) (*rendezvous[T], error) {
	// Not in Validate, because generated tests need valid defaults.
	if len(cfg.Endpoints) == 0 && cfg.DNS.Hostname == "" {
		return nil, errNoList
	}
	r := &rendezvous[T]{cfg: cfg, set: set, signal: signal}
	var err error
	r.report, err = newReport[T](set, signal.name, r.pool.counts)
	return r, err
}

func (r *rendezvous[T]) start(_ context.Context, host component.Host) error {
	first := contact.New(func(event *componentstatus.Event) { componentstatus.ReportStatus(host, event) }, r.set.Logger)
	r.pool.dial = newDial(r.cfg, r.set, host, r.signal, first)
	if r.cfg.DNS.Hostname == "" {
		err := r.pool.update(r.cfg.Endpoints)
		if err != nil {
			r.pool.shutdown()
		}
		return err
	}
	dns := r.cfg.DNS
	name := &lookup.Lookup{
		Hostname: dns.Hostname, Interval: dns.Interval, Timeout: dns.Timeout, Port: dns.Port,
		Update: func(endpoints []string) error {
			return contact.Misconfigured(r.pool.update(endpoints))
		},
		Failed: func(err error) {
			r.report.lookupFailed()
			first.Failed(err)
		},
		Logger: r.set.Logger, Ask: net.DefaultResolver.LookupNetIP,
	}
	r.leave = name.Start()
	return nil
}

func (r *rendezvous[T]) push(ctx context.Context, batch T) error {
	endpoints := r.pool.acquire()
	defer release(endpoints)
	return deliver(ctx, &r.signal, r.report, endpoints, batch)
}

// shutdown runs after the shutdown of the queue, when no batch is being sent.
func (r *rendezvous[T]) shutdown(context.Context) error {
	if r.leave != nil {
		r.leave()
	}
	r.pool.shutdown()
	r.report.shutdown()
	return nil
}
