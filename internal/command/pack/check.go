// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Reports all errors of packs, and rules that can never apply",
		Long: `Reports all errors of packs, and rules that can never apply.

A line for each error: file:line: key: rule (got value)
A line for each warning: file:line: warning: key: rule (got value)
A warning is a part of the pack that has no effect, for certain. A pack without errors is also loaded
together with the built-in ones.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error { return check(cmd.OutOrStdout(), files) },
	}
}

func check(out io.Writer, files []string) error {
	var result error
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		problems := conventions.Problems(text)
		if !hasError(problems) {
			if err := loadWithBuiltin(file); err != nil {
				problems = append(problems, conventions.Problem{Text: "together with the built-in packs: " + err.Error()})
			}
		}
		if len(problems) == 0 {
			fmt.Fprintf(out, "%s: no problems\n", file)
		}
		if hasError(problems) {
			result = cli.Faults
		}
		writeProblems(out, file, problems)
	}
	return result
}

// writeProblems writes the errors of a pack, then its warnings.
func writeProblems(out io.Writer, file string, problems []conventions.Problem) {
	for _, warnings := range []bool{false, true} {
		for _, p := range problems {
			if p.Warning != warnings {
				continue
			}
			fmt.Fprint(out, position(file, p.Line), ": ")
			if p.Warning {
				fmt.Fprint(out, "warning: ")
			}
			fmt.Fprintln(out, p.Text)
		}
	}
}

// position returns a place in a file. The line is 0 if there is none.
func position(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func hasError(problems []conventions.Problem) bool {
	for _, p := range problems {
		if !p.Warning {
			return true
		}
	}
	return false
}

// loadWithBuiltin loads a pack as a collector does that has the built-in ones too.
func loadWithBuiltin(file string) error {
	packs, err := conventions.Load([]any{entryOf(file), conventions.Builtins})
	if err != nil {
		return err
	}
	_, err = logformat.New(packs)
	return err
}

// entryOf returns a file as an entry of the setting packs, which takes a name without a slash for a built-in
// pack.
func entryOf(file string) string {
	if strings.ContainsRune(file, '/') || strings.HasSuffix(file, ".yaml") {
		return file
	}
	return "./" + file
}
