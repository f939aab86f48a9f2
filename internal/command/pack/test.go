// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/command/pack/example"
)

func newTest(set Settings) *cobra.Command {
	return &cobra.Command{
		Use:   "test [FILE...]",
		Short: "Runs the examples of packs, or of the built-in ones",
		Long: `Runs the examples of packs, or of the built-in ones if no file is named.

A line for each difference: file:line: what goes in: what differs: what the example wants, what came out
Then a line for each pack: how many examples hold, and how many of its rules have no example.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				return test(cmd.Context(), cmd.OutOrStdout(), set.Naming, conventions.Builtin())
			}
			entries := make([]string, len(files))
			for i, file := range files {
				entries[i] = entryOf(file)
			}
			if err := valid(cmd.OutOrStdout(), files); err != nil {
				return err
			}
			return test(cmd.Context(), cmd.OutOrStdout(), set.Naming, entries)
		},
	}
}

func test(ctx context.Context, out io.Writer, naming processor.Factory, entries []string) error {
	var failed error
	for _, entry := range entries {
		source, err := conventions.Read(entry)
		if err != nil {
			return err
		}
		result, err := example.Run(ctx, naming, source)
		if err != nil {
			return err
		}
		for _, failure := range result.Failures {
			fmt.Fprintf(out, "%s: %s\n", position(source.File, failure.Line), failure)
			failed = cli.Faults
		}
		fmt.Fprintf(out, "%s: %d of %d examples hold; %d of %d rules have no example\n",
			source.File, result.Examples-result.Failed, result.Examples, len(result.Without), result.Rules)
	}
	return failed
}

// valid reports the errors of packs, whose examples then cannot be run.
func valid(out io.Writer, files []string) error {
	var result error
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if problems := conventions.Problems(text); hasError(problems) {
			writeProblems(out, file, problems)
			result = cli.Faults
		}
	}
	return result
}
