// SPDX-License-Identifier: Apache-2.0

// Package pack provides the commands for convention packs: check reports their errors, test runs their
// examples, explain shows what happens to a name, and draft writes a pack for a service.
package pack

import (
	"errors"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

// Settings describe the collector: the providers of its configuration, and its naming processor, which examples go
// through.
type Settings struct {
	Providers []confmap.ProviderFactory
	Naming    processor.Factory
}

// NewCommand returns the command. It writes results to its output, and errors of its own work to its error
// output. Its errors have a method ExitCode.
func NewCommand(set Settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Checks, explains, tests and drafts convention packs",
		Long: `Checks, explains, tests and drafts convention packs.

The exit code is 0 if nothing is wrong, 1 if a pack has errors or an example fails, and 2 if the
command cannot do its work.`,
		SilenceUsage:  true,
		SilenceErrors: true, // the commands print them
	}
	cmd.AddCommand(newCheck(set), newTest(set), newExplain(set), newDraft())
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.SetFlagErrorFunc(cli.Fail)
	for _, sub := range cmd.Commands() {
		run, args := sub.RunE, sub.Args
		sub.SilenceUsage, sub.SilenceErrors = true, true
		sub.Args = func(cmd *cobra.Command, given []string) error { return ended(cmd, args(cmd, given)) }
		sub.RunE = func(cmd *cobra.Command, args []string) error { return ended(cmd, run(cmd, args)) }
	}
	return cmd
}

// ended returns the error that ends the process. That of faults was printed.
func ended(cmd *cobra.Command, err error) error {
	if err == nil || errors.Is(err, cli.Faults) {
		return err
	}
	return cli.Fail(cmd, err)
}
