// SPDX-License-Identifier: Apache-2.0

// Package useragent passes on which program sent a request, without its other headers. A
// receiver with include_metadata passes on all headers, and queues would write them to disk,
// tokens included.
package useragent

import (
	"context"
	"net/http"

	"google.golang.org/grpc/metadata"
)

const header = "user-agent"

type contextKey struct{}

// Handler returns a handler that keeps the user agent of each request in its context.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, r.UserAgent())))
	})
}

// Of returns the user agent of the request that a context belongs to, or an empty string if it
// is unknown. Requests over HTTP must have come through Handler; gRPC keeps the headers itself.
func Of(ctx context.Context) string {
	if agent, ok := ctx.Value(contextKey{}).(string); ok {
		return agent
	}
	headers, _ := metadata.FromIncomingContext(ctx)
	for _, agent := range headers.Get(header) {
		return agent
	}
	return ""
}
