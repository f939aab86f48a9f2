// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"regexp"
	"strings"
)

// Asks are the facts that the decision on a span's name depends on, apart from its Context. The
// zero value means none.
type Asks struct {
	// Attribute is the key of a text attribute of the span, or "".
	Attribute string
	// Convention is whether the span has a ConventionKey.
	Convention bool
}

// Facts are what a span has of what was asked for.
type Facts struct {
	// Attribute is the value of the attribute, or "".
	Attribute string
	// Convention reports whether the span has a ConventionKey.
	Convention bool
}

// AsksOf returns all that the decision on a span's name can depend on.
func AsksOf(name string) Asks {
	switch {
	case ConformantSpan(name):
		return Asks{}
	case name != "" && strings.IndexByte("GHPDCOTQ_", name[0]) >= 0 && httpName.MatchString(name): // most begin otherwise
		return Asks{Attribute: httpRouteKey}
	}
	return Asks{Attribute: rpcServiceKey, Convention: true}
}

const (
	rpcServiceKey = "rpc.service"
	httpRouteKey  = "http.route"
)

// ConventionKey reports whether an attribute says that its span has a name of the semantic
// conventions, such as "chat gpt-4o" or "SELECT orders". Client is whether the span is a client's.
func ConventionKey(key string, client bool) bool {
	switch key {
	case "gen_ai.operation.name", "db.system.name", "db.system", "messaging.system":
		return true
	case "rpc.system.name", "rpc.system":
		return client
	}
	return false
}

// httpName matches the name of an HTTP span by the semantic conventions: a method, or a method
// and a route. A sender that knows no route may write the path there, with its query.
var httpName = regexp.MustCompile(`^(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|QUERY|HTTP|_OTHER)(?: (/[^\s?#]*)(?:[?#](?s:.*))?)?$`)
