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

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/journal"
	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// paths are what the paths of OTLP end in, whatever a proxy puts before them.
var paths = map[string]wire.Signal{
	"/v1/traces":  wire.Traces,
	"/v1/metrics": wire.Metrics,
	"/v1/logs":    wire.Logs,
}

// GetHTTPHandler implements extensionmiddleware.HTTPServer. What it wraps sees bodies
// decompressed already, and no longer than the receiver allows.
func (m *middleware) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if b := m.body(r); b != nil {
				m.serve(w, r, b, next)
			} else {
				next.ServeHTTP(w, r)
			}
		}), nil
	}, nil
}

// body returns what looks at a request, if it is one of OTLP.
func (m *middleware) body(r *http.Request) *body {
	b := &body{ReadCloser: r.Body, request: r, middleware: m, share: share{of: m.inFlight}}
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
	if m.poison.journal != nil {
		b.hash = m.poison.journal.Hash()
		b.keep = m.poison.keeps()
	}
	return b
}

// serve has a request handled, and answers for the pipeline when it panics. Without an
// answer the client would send it again.
func (m *middleware) serve(w http.ResponseWriter, r *http.Request, b *body, next http.Handler) {
	answer := &answer{ResponseWriter: w}
	defer b.share.release()
	defer func() {
		value := recover()
		if value != nil && value != http.ErrAbortHandler { //nolint:errorlint // net/http compares what was panicked with as well
			m.panicked(r.Context(), value, b.signal, "http")
			if answer.code != 0 { // it is on its way, and cannot be ended otherwise
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

// body looks at what the receiver reads. Where a limit is not kept reading fails, which
// the receiver answers in the encoding of the request.
type body struct {
	io.ReadCloser
	checker    wire.Checker
	signal     wire.Signal
	encoding   string // its media type
	request    *http.Request
	middleware *middleware
	share      share
	read       int
	refused    error

	hash  *journal.Hash // nil once the request is in the journal, or without one
	entry *journal.Entry
	keep  bool   // the bytes, in case that the request is to be set aside
	kept  []byte // which were read
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.refused != nil {
		return 0, b.refused
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	refusal := b.look(p[:n])
	switch {
	case refusal != nil:
	case err == io.EOF:
		refusal = b.enter()
	case errors.Is(err, os.ErrDeadlineExceeded):
		refusal = slow
	}
	if refusal != nil {
		b.refused = b.middleware.refuse(b.request.Context(), refusal, "http", b.request.RemoteAddr)
		// A client that is still sending hears no answer. The receiver's own limit ends this.
		_, _ = io.Copy(io.Discard, b.ReadCloser)
		return 0, b.refused
	}
	return n, err
}

// look takes what came of a request. The receiver also keeps what the checker does not
// count, because it is not valid.
func (b *body) look(chunk []byte) *refusal {
	if broken := b.checker.Check(chunk); broken != wire.None {
		return b.middleware.breaks(broken)
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

// enter notes that a request is about to be handled, which has been read to its end.
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
