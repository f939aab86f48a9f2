// SPDX-License-Identifier: Apache-2.0

package naming

import "strings"

// MaxName is the longest allowed name of a metric, a span, an attribute or anything else, in
// bytes.
const MaxName = 255

// Shorten returns a name of at most MaxName bytes: the name itself, or its beginning, cut
// between characters, with a hash of the whole name at its end. Different names stay different.
// A conformant metric name or attribute key stays conformant.
func Shorten(name string) string {
	if len(name) <= MaxName {
		return name
	}
	return strings.TrimRight(Beginning(name, MaxName-1-hashLetters), "_.") + "_" + hash(name)
}

func shortenSpan(name string) string {
	if len(name) <= MaxName {
		return name
	}
	component, operation, _ := strings.Cut(name, "/")
	component = shortenPart(component, MaxName/2)
	return component + "/" + shortenPart(operation, MaxName-1-len(component))
}

func shortenPart(part string, size int) string {
	if len(part) <= size {
		return part
	}
	return part[:size-hashLetters] + hash(part)
}

// shortenRoute shortens an HTTP method and route. It keeps whole path segments, because a part
// of one could look like an id.
func shortenRoute(name string) string {
	if len(name) <= MaxName {
		return name
	}
	beginning := name[:MaxName-hashLetters]
	return beginning[:strings.LastIndexByte(beginning, '/')+1] + hash(name)
}
