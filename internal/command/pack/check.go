// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/command/pack/example"
)

func newCheck(set Settings) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Reports errors of packs, examples that fail, and what owns telemetry of others",
		Long: `Reports errors of packs, examples that fail, and what owns telemetry of others.

A line for each error: file:line: key: rule (got value)
A line for each example that fails: file:line: what goes in: what differs: what the example wants, what came out
A line for each warning: file:line: warning: key: rule (got value)
A warning is a rule that owns telemetry by a word that others could use. A pack without errors is also loaded
together with the built-in ones, and its examples are run.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			return check(cmd.Context(), cmd.OutOrStdout(), set.Naming, files)
		},
	}
}

func check(ctx context.Context, out io.Writer, naming processor.Factory, files []string) error {
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
			failed, err := failures(ctx, naming, file)
			if err != nil {
				return err
			}
			problems = append(problems, failed...)
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

// failures returns the examples of a pack that fail.
func failures(ctx context.Context, naming processor.Factory, file string) (all []conventions.Problem, err error) {
	source, err := conventions.Read(entryOf(file))
	if err != nil {
		return nil, err
	}
	result, err := example.Run(ctx, naming, source)
	if err != nil {
		return nil, err
	}
	for _, failure := range result.Failures {
		all = append(all, conventions.Problem{Line: failure.Line, Text: failure.String()})
	}
	return all, nil
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
	return slices.ContainsFunc(problems, func(p conventions.Problem) bool { return !p.Warning })
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
