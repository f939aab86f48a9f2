// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

const (
	// maxPlaces bounds the code locations of panics that are logged.
	maxPlaces = 64
	// maxPanicText bounds the logged text of a panic in bytes. It may contain data of clients.
	maxPanicText = 1000
)

// errPanic is the response to a request whose handling panicked. With this code, OTLP clients
// do not send the request again.
var errPanic = status.Error(codes.Internal, "the request could not be handled: internal error")

// places are the code locations of panics that are logged already. It is safe for concurrent
// use.
type places struct {
	mu    sync.Mutex
	known map[string]bool // guarded by mu
}

// first reports whether a panic at a location has to be logged.
func (p *places) first(place string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[place] || len(p.known) == maxPlaces {
		return false
	}
	if p.known == nil {
		p.known = map[string]bool{}
	}
	p.known[place] = true
	return true
}

// panicked counts and logs a panic. It must be called by the deferred function that recovered
// from the panic, so that the stack is still the panic's.
func (m *middleware) panicked(ctx context.Context, value any, signal wire.Signal, transport string) {
	m.telemetry.WireLimitsPanics.Add(ctx, 1, metric.WithAttributes(
		attribute.String("signal", signal.String()), attribute.String("transport", transport)))
	place := panicPlace()
	if !m.panics.first(place) {
		return
	}
	text := fmt.Sprint(value)
	m.logger.Error("A request was not handled because of a panic, which is a bug. Further panics at the same place are only counted, by otelcol_wire_limits_panics.",
		zap.String("panic", text[:min(len(text), maxPanicText)]), zap.String("place", place),
		zap.Stringer("signal", signal), zap.String("transport", transport),
		zap.ByteString("stack", debug.Stack()))
}

// panicPlace returns the function and line that panicked: the first frame below the panic
// outside package runtime.
func panicPlace() string {
	const deepest = 64
	callers := make([]uintptr, deepest)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	below := false
	for {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if below && !inRuntime {
			return fmt.Sprintf("%s:%d", frame.Function, frame.Line)
		}
		below = below || frame.Function == "runtime.gopanic"
		if !more {
			return "unknown"
		}
	}
}
