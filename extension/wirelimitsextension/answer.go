// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"net/http"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// answer records the status of an HTTP response.
type answer struct {
	http.ResponseWriter
	code int // 0 if none was written
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	if a.code == 0 && code >= http.StatusOK { // other codes are informational
		a.code = code
	}
	a.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.code == 0 {
		a.code = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// final reports whether the client will not send the request again.
func (a *answer) final() bool {
	switch a.code {
	case 0, http.StatusOK, http.StatusBadRequest, http.StatusInternalServerError:
		return true
	default: // the request can be retried, or was refused before it was handled, as without a token
		return false
	}
}

// internal writes the response to a request whose handling panicked, in the request's encoding.
func (a *answer) internal(encoding string) {
	marshal := proto.Marshal
	if encoding == jsonType {
		marshal = protojson.Marshal
	}
	body, err := marshal(status.Convert(errPanic).Proto())
	if err != nil {
		body = nil
	}
	a.Header().Set("Content-Type", encoding)
	a.WriteHeader(http.StatusInternalServerError)
	_, _ = a.Write(body)
}
