// SPDX-License-Identifier: Apache-2.0

package paste

import (
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/confmap"
)

const (
	// maxName is the number of bytes that components keep of a name from telemetry.
	maxName = 256
	// maxWhole is the length of the longest name that was certainly not cut: cuts are between characters.
	maxWhole = maxName - utf8.UTFMax
)

// Whole reports whether a name is not one that a component cut.
func Whole(name string) bool { return len(name) <= maxWhole }

// Exact reports whether YAML can have a name from telemetry, and stands for the whole of it.
func Exact(name string) bool { return Whole(name) && Safe(name) }

// Selects reports whether a collector's configuration can select what has a name, and nothing else. A star matches
// any text, and a collector splits keys at "::".
func Selects(name string) bool {
	return Exact(name) && !strings.Contains(name, "*") && !strings.Contains(name, confmap.KeyDelimiter)
}
