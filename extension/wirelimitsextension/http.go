// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"go.opentelemetry.io/collector/extension/extensionmiddleware"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/poison"
	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
)

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// paths are the ends of OTLP's paths. A proxy may add a prefix.
var paths = map[string]wire.Signal{
	"/v1/traces":  wire.Traces,
	"/v1/metrics": wire.Metrics,
	"/v1/logs":    wire.Logs,
}

// GetHTTPHandler implements extensionmiddleware.HTTPServer. The wrapped handler reads
// decompressed bodies, which the receiver limits in length. It also passes the user agent on,
// which cardinality needs.
func (m *middleware) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		next = httpserver.KeepUserAgent(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if b := m.body(r); b != nil {
				m.serve(w, r, b, next)
			} else {
				next.ServeHTTP(w, r)
			}
		}), nil
	}, nil
}

// body returns a body that checks a request, or nil if the request is not OTLP.
func (m *middleware) body(r *http.Request) *body {
	b := &body{ReadCloser: r.Body, request: r, middleware: m, share: share{total: m.inFlight}}
	if i := strings.LastIndex(r.URL.Path, "/v1/"); i >= 0 {
		b.signal = paths[r.URL.Path[i:]]
	}
	if b.signal == wire.Unknown {
		return nil
	}
	switch b.encoding, _, _ = mime.ParseMediaType(r.Header.Get("Content-Type")); b.encoding {
	case protobufType:
		b.checker = wire.NewProtobuf(b.signal, m.limits)
	case jsonType:
		b.checker = wire.NewJSON(m.limits)
	default:
		return nil
	}
	if m.journal != nil {
		b.hash = m.journal.Hash()
		b.keep = m.journal.Wants()
	}
	return b
}

// serve calls the next handler, and writes the response if it panics. Without a response, the
// client would send the request again.
func (m *middleware) serve(w http.ResponseWriter, r *http.Request, b *body, next http.Handler) {
	answer := &answer{ResponseWriter: w}
	defer b.share.release()
	defer func() {
		value := recover()
		if value != nil && value != http.ErrAbortHandler { //nolint:errorlint // net/http compares what was panicked with as well
			m.panicked(r.Context(), value, b.signal, "http")
			if answer.code != 0 { // the response has begun, and can only be aborted
				value = http.ErrAbortHandler
			} else {
				value = nil
				answer.internal(b.encoding)
			}
		}
		b.entry.End(answer.final())
		if value != nil {
			panic(value)
		}
	}()
	r.Body = b
	next.ServeHTTP(answer, r)
}

// body checks what the receiver reads. At a violation Read fails, and the receiver responds in
// the request's encoding.
type body struct {
	io.ReadCloser
	checker    wire.Checker
	signal     wire.Signal
	encoding   string // the media type
	request    *http.Request
	middleware *middleware
	share      share
	read       int
	refused    error

	hash  *poison.Hash // nil after the request is in the journal, or without a journal
	entry *poison.Entry
	keep  bool   // whether to keep the bytes, in case the request is set aside
	kept  []byte // the bytes that were read
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.refused != nil {
		return 0, b.refused
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	refusal := b.inspect(p[:n])
	switch {
	case refusal != nil:
	case err == io.EOF:
		refusal = b.enter()
	case errors.Is(err, os.ErrDeadlineExceeded):
		refusal = slow
	}
	if refusal != nil {
		b.refused = b.middleware.refuse(b.request.Context(), refusal, "http", b.request.RemoteAddr)
		// A client that is still sending does not read the response. The receiver's own limit
		// ends the copy.
		_, _ = io.Copy(io.Discard, b.ReadCloser)
		return 0, b.refused
	}
	return n, err
}

// inspect checks the next bytes of a request. It also counts the bytes that the checker does
// not count because they are invalid: the receiver keeps them in memory.
func (b *body) inspect(chunk []byte) *refusal {
	if broken := b.checker.Check(chunk); broken != wire.None {
		return b.middleware.violation(broken)
	}
	if b.keep {
		b.kept = append(b.kept, chunk...)
	}
	if !b.share.grow(max(b.checker.Size(), b.read) + len(b.kept)) {
		return b.middleware.busy()
	}
	if b.hash != nil {
		b.hash.Add(chunk)
	}
	return nil
}

// enter adds a request that was read to its end to the journal, before it is handled.
func (b *body) enter() (refusal *refusal) {
	if b.hash == nil || b.read == 0 {
		return nil
	}
	fingerprint := b.hash.Fingerprint()
	b.hash = nil
	extension := "binpb"
	if b.encoding == jsonType {
		extension = "json"
	}
	b.entry, refusal = b.middleware.enter(b.request.Context(), handled{b.signal, "http", extension}, fingerprint,
		func() []byte { return b.kept })
	return refusal
}
