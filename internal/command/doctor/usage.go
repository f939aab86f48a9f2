package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// long returns what the help says before the flags: how the answer looks, and the rules.
func long() string {
	var b strings.Builder
	b.WriteString(`Reads a configuration as the collector does and says what in it will hurt.

A line for each finding: file:line: severity rule: text (what to write instead)
The exit code is 0 with nothing or notes only, 1 with warnings, 2 when the configuration
cannot be read. ` + "`otelcol-tc validate`" + ` says what keeps the collector from its start.

Rules:
`)
	for _, rule := range slices.Concat(rules, []rule{{id: unsetVariable, why: whyUnsetVariable}}) {
		fmt.Fprintf(&b, "  %-29s  %s\n", rule.id, rule.why)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
