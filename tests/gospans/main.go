// SPDX-License-Identifier: Apache-2.0

// Command gospans makes spans with the OpenTelemetry SDK for Go, whose settings come from OTEL_* variables, until its
// standard input ends. Then it prints the ids of all spans, as tests/clients/steady_spans.py does.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Senders start one after the other, so that their batches end at different times.
const (
	senders = 5
	stagger = time.Second
)

func main() {
	protocol := flag.String("protocol", "grpc", "grpc or http")
	endpoint := flag.String("endpoint", "127.0.0.1:4317", "the collector's host:port for the protocol")
	rate := flag.Int("rate", 20, "spans a second of each sender")
	flag.Parse()
	if err := run(*protocol, *endpoint, time.Second/time.Duration(*rate)); err != nil {
		fmt.Fprintln(os.Stderr, "gospans:", err)
		os.Exit(1)
	}
}

func run(protocol, endpoint string, pause time.Duration) error {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	var all sync.WaitGroup
	spans, errs := make([][]string, senders), make([]error, senders)
	for i := range senders {
		all.Go(func() {
			time.Sleep(time.Duration(i) * stagger)
			spans[i], errs[i] = send(ctx, protocol, endpoint, pause)
		})
	}
	all.Wait()
	sent := []string{}
	for i := range senders {
		if errs[i] != nil {
			return errs[i]
		}
		sent = append(sent, spans[i]...)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string][]string{"spans": sent})
}

// send makes spans until the context ends.
func send(ctx context.Context, protocol, endpoint string, pause time.Duration) (ids []string, err error) {
	var exporter *otlptrace.Exporter
	if protocol == "grpc" {
		exporter, err = otlptracegrpc.New(context.Background(), otlptracegrpc.WithEndpoint(endpoint), otlptracegrpc.WithInsecure())
	} else {
		exporter, err = otlptracehttp.New(context.Background(), otlptracehttp.WithEndpoint(endpoint), otlptracehttp.WithInsecure())
	}
	if err != nil {
		return nil, fmt.Errorf("--endpoint %q: %w", endpoint, err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "gospans"))))
	for ctx.Err() == nil {
		_, span := provider.Tracer("gospans").Start(context.Background(), "Work/Do")
		span.End()
		ids = append(ids, span.SpanContext().SpanID().String())
		time.Sleep(pause)
	}
	// What it cannot send any more is missing at the backend.
	_ = provider.Shutdown(context.Background())
	return ids, nil
}
