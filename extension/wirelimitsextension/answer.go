package wirelimitsextension

import (
	"net/http"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// answer knows the status of a response over HTTP.
type answer struct {
	http.ResponseWriter
	code int // 0: none was written
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	if a.code == 0 && code >= http.StatusOK { // others only inform
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

// Unwrap returns the writer that http.ResponseController controls.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// final reports whether the request was handled to its end: its client does not send it again.
func (a *answer) final() bool {
	switch a.code {
	case 0, http.StatusOK, http.StatusBadRequest, http.StatusInternalServerError:
		return true
	default: // it may come again, or was not looked at, as without a token
		return false
	}
}

// internal writes the answer for a request whose handling panicked, in its own encoding.
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
