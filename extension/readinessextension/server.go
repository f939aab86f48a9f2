// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"encoding/json"
	"net/http"
)

// Answer is the body of a response.
type Answer struct {
	Ready      bool        `json:"ready"`
	Conditions []Condition `json:"conditions"`
}

func newHandler(conditions func() []Condition) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer := Answer{Conditions: conditions()}
		if answer.Conditions == nil {
			answer.Conditions = []Condition{}
		}
		answer.Ready = ready(answer.Conditions)
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		if !answer.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ") // readable
		_ = encoder.Encode(answer)  // the client may have disconnected
	})
	return mux
}
