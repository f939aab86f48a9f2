// SPDX-License-Identifier: Apache-2.0

package naming

import "strings"

const (
	// minIDValue is the length of the shortest value that LooksLikeID accepts. Shorter ones are numbers
	// of devices, ranks and ports.
	minIDValue = 6
	// maxIDValue is the number of bytes that it looks at.
	maxIDValue = 256
)

// LooksLikeID reports whether an attribute's value has an id and nothing that changes less often than ids,
// but for a word before it: a UUID, a request's number, cmpl-7h2kx0q1m9z3.
func LooksLikeID(value string) bool {
	if len(value) < minIDValue {
		return false
	}
	rest, ids := splitIDs(Beginning(value, maxIDValue))
	return ids != nil && len(strings.Fields(rest)) <= 1
}
