// SPDX-License-Identifier: Apache-2.0

// Command goslog is a Go service of none of the four systems: it logs JSON lines by
// log/slog, with the ids of the span as attributes, and sends its spans over OTLP gRPC
// by the OpenTelemetry SDK. It prints what it sent and wrote, in the form of
// tests/clients/recorder.py.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func main() {
	endpoint := flag.String("endpoint", "127.0.0.1:4317", "the collector's host:port for OTLP gRPC")
	logFile := flag.String("log-file", "", "the text log to write")
	flag.Parse()
	if err := run(*endpoint, *logFile); err != nil {
		fmt.Fprintln(os.Stderr, "goslog:", err)
		os.Exit(1)
	}
}

func run(endpoint, logFile string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	file, err := os.OpenFile(logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("--log-file: %w", err)
	}
	defer file.Close()
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(endpoint), otlptracegrpc.WithInsecure())
	if err != nil {
		return fmt.Errorf("--endpoint %q: %w", endpoint, err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "goslog"))))

	var sent record
	s := service{
		tracer: provider.Tracer("goslog"),
		log:    slog.New(withSpan{Handler: slog.NewJSONHandler(file, nil), sent: &sent, file: file.Name()}),
		sent:   &sent,
	}
	s.work(ctx)
	// Shutdown sends what is left; an error says that it did not arrive.
	if err := errors.Join(provider.Shutdown(ctx), file.Close()); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(sent)
}

type service struct {
	tracer trace.Tracer
	log    *slog.Logger
	sent   *record
}

// work logs outside of spans, in a span, and in one below it, where a group has the
// ids: slog puts what a handler adds into the group that is open.
func (s *service) work(ctx context.Context) {
	s.log.InfoContext(ctx, "listening", "port", 8080)

	ctx, serve := s.start(ctx, "Shop/Serve")
	s.log.InfoContext(ctx, "request received", "method", "PUT", "size", 512)

	inner, save := s.start(ctx, "Shop/Save")
	grouped := s.log.WithGroup("order")
	grouped.WarnContext(inner, "stock is low", "item", "bolt", "left", 3)
	grouped.ErrorContext(inner, "not saved", "error", "line one\nline two")
	save.End()

	s.log.InfoContext(ctx, "request answered", slog.Group("http", "status", 503))
	serve.End()
	s.log.InfoContext(context.Background(), "closing")
}

func (s *service) start(ctx context.Context, name string) (context.Context, trace.Span) {
	ctx, span := s.tracer.Start(ctx, name)
	s.sent.Spans = append(s.sent.Spans, sentSpan{
		Name:    name,
		TraceID: span.SpanContext().TraceID().String(),
		SpanID:  span.SpanContext().SpanID().String(),
	})
	return ctx, span
}
