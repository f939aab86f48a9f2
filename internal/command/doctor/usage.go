package doctor

import (
	"fmt"
	"io"
	"slices"
)

// usage tells how to call the command and what it looks for.
func usage(out io.Writer) {
	fmt.Fprint(out, `Reads a configuration as the collector does and says what in it will hurt.

  otelcol-tc doctor --config FILE [--config FILE …] [flags]

A line for each finding: file:line: severity rule: text (what to write instead)
The exit code is 0 with nothing or notes only, 1 with warnings, 2 when the configuration
cannot be read. `+"`otelcol-tc validate`"+` says what keeps the collector from its start.

Flags, the first three as of the collector:
  --config          a configuration: a file, builtin:dev and the like; more are merged over it
  --set             one setting over them, such as processors.batch.timeout=2s
  --feature-gates   features to turn on or, with - before their name, off
  --format          text or json (default text)

Rules:
`)
	for _, rule := range slices.Concat(rules, []rule{{id: unsetVariable, why: whyUnsetVariable}}) {
		fmt.Fprintf(out, "  %-29s  %s\n", rule.id, rule.why)
	}
}
