package wirelimitsextension

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"

	"go.opentelemetry.io/collector/extension/extensionmiddleware"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
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
			if checker := m.checker(r); checker != nil {
				b := &body{ReadCloser: r.Body, checker: checker, request: r, middleware: m, share: share{of: m.inFlight}}
				defer b.share.release()
				r.Body = b
			}
			next.ServeHTTP(w, r)
		}), nil
	}, nil
}

// checker returns what looks at a request, if it is one of OTLP.
func (m *middleware) checker(r *http.Request) wire.Checker {
	signal := wire.Unknown
	if i := strings.LastIndex(r.URL.Path, "/v1/"); i >= 0 {
		signal = paths[r.URL.Path[i:]]
	}
	if signal == wire.Unknown {
		return nil
	}
	switch encoding, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); encoding {
	case "application/x-protobuf":
		return wire.NewProtobuf(signal, m.limits)
	case "application/json":
		return wire.NewJSON(m.limits)
	default:
		return nil
	}
}

// body looks at what the receiver reads. Where a limit is not kept reading fails, which
// the receiver answers in the encoding of the request.
type body struct {
	io.ReadCloser
	checker    wire.Checker
	request    *http.Request
	middleware *middleware
	share      share
	read       int
	refused    error
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.refused != nil {
		return 0, b.refused
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	if refusal := b.look(p[:n]); refusal != nil {
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
	if !b.share.grow(max(b.checker.Size(), b.read)) {
		return b.middleware.busy()
	}
	return nil
}
