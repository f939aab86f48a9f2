// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"context"
	"net/http"

	"google.golang.org/grpc/metadata"
)

type agentKey struct{}

// KeepUserAgent returns a handler that keeps the user agent of each request in its context, without other headers. A
// receiver with include_metadata passes on all headers, and queues would write them to disk, tokens included.
func KeepUserAgent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), agentKey{}, r.UserAgent())))
	})
}

// UserAgent returns the user agent of the request that a context belongs to, or an empty string if it
// is unknown. Requests over HTTP must have come through KeepUserAgent; gRPC keeps the headers itself.
func UserAgent(ctx context.Context) string {
	if agent, ok := ctx.Value(agentKey{}).(string); ok {
		return agent
	}
	headers, _ := metadata.FromIncomingContext(ctx)
	for _, agent := range headers.Get("user-agent") {
		return agent
	}
	return ""
}
