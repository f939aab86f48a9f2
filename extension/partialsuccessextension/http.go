// SPDX-License-Identifier: Apache-2.0

package partialsuccessextension

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"path"

	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

var _ extensionmiddleware.HTTPClient = (*counter)(nil)

// maxResponse bounds the bytes of a response that are read. It is the stock exporter's limit.
const maxResponse = 64 << 10

// GetHTTPRoundTripper implements extensionmiddleware.HTTPClient.
func (c *counter) GetHTTPRoundTripper(context.Context) (extensionmiddleware.WrapHTTPRoundTripperFunc, error) {
	return func(_ context.Context, next http.RoundTripper) (http.RoundTripper, error) {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(request)
			if err == nil && response.StatusCode >= 200 && response.StatusCode < 300 {
				c.read(request, response)
			}
			return response, err
		}), nil
	}, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// read counts what a response rejects. Afterwards the exporter reads the same bytes. After an error, the transport's
// body returns it again.
func (c *counter) read(request *http.Request, response *http.Response) {
	s, ok := signalOfPath(request.URL.Path)
	if !ok {
		return
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	response.Body = readBody{io.MultiReader(bytes.NewReader(content), response.Body), response.Body}
	if err != nil {
		return
	}
	// The exporter ignores the partial success of a response without a content type as well.
	contentType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	c.answered(request.Context(), request.URL.Host, s, rejected(s, contentType, content))
}

// readBody is a body whose beginning was already read.
type readBody struct {
	io.Reader
	io.Closer
}

// signalOfPath returns the signal by the end of the path, which OTLP's specification defines:
// /v1/traces.
func signalOfPath(p string) (signal, bool) {
	switch s := signal(path.Base(p)); s {
	case traces, metrics, logs:
		return s, true
	}
	return "", false
}

// decoder is one of pdata's responses.
type decoder interface {
	UnmarshalProto([]byte) error
	UnmarshalJSON([]byte) error
}

// rejected returns how many items a response rejects, or 0 if the response cannot be decoded.
func rejected(s signal, contentType string, content []byte) int64 {
	var response decoder
	var count func() int64
	switch s {
	case traces:
		r := ptraceotlp.NewExportResponse()
		response, count = r, func() int64 { return r.PartialSuccess().RejectedSpans() }
	case metrics:
		r := pmetricotlp.NewExportResponse()
		response, count = r, func() int64 { return r.PartialSuccess().RejectedDataPoints() }
	case logs:
		r := plogotlp.NewExportResponse()
		response, count = r, func() int64 { return r.PartialSuccess().RejectedLogRecords() }
	}
	var err error
	switch contentType {
	case "application/x-protobuf":
		err = response.UnmarshalProto(content)
	case "application/json":
		err = response.UnmarshalJSON(content)
	default:
		return 0
	}
	if err != nil {
		return 0
	}
	return count()
}
