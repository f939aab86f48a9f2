// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"slices"
	"strings"
)

// methods are the request methods that the semantic conventions know.
var methods = []string{"GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE", "QUERY"}

func (e *Entry) putMethod(method string) {
	if slices.Contains(methods, method) {
		e.Attributes = append(e.Attributes, Attribute{Key: "http.request.method", Text: method})
		return
	}
	e.Attributes = append(e.Attributes, Attribute{Key: "http.request.method", Text: "_OTHER"},
		Attribute{Key: "http.request.method_original", Text: method})
}

// putURL puts the target of a request line: a path with or without a query. A proxy's requests have
// a whole URL.
func (e *Entry) putURL(target string) {
	if !strings.HasPrefix(target, "/") {
		e.Attributes = append(e.Attributes, Attribute{Key: "url.original", Text: target})
		return
	}
	path, query, _ := strings.Cut(target, "?")
	e.Attributes = append(e.Attributes, Attribute{Key: "url.path", Text: path})
	if query != "" {
		e.Attributes = append(e.Attributes, Attribute{Key: "url.query", Text: query})
	}
}
