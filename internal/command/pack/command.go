// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/processor"
)

// Exit codes.
const (
	exitFaults = 1
	exitFailed = 2
)

// Settings describe the collector: the providers of its configuration, and its naming processor, which examples go
// through.
type Settings struct {
	Providers []confmap.ProviderFactory
	Naming    processor.Factory
}

// exitError ends the process with an exit code. Its reason was printed before.
type exitError int

// Error implements error.
func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// ExitCode returns the exit code of the process.
func (e exitError) ExitCode() int { return int(e) }

// errFaults means that a pack has errors, or that an example fails. They were printed.
var errFaults = errors.New("faults")

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
	cmd.AddCommand(newCheck(), newTest(set), newExplain(set), newDraft())
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.SetFlagErrorFunc(failed)
	for _, sub := range cmd.Commands() {
		run, args := sub.RunE, sub.Args
		sub.SilenceUsage, sub.SilenceErrors = true, true
		sub.Args = func(cmd *cobra.Command, given []string) error {
			if err := args(cmd, given); err != nil {
				return failed(cmd, err)
			}
			return nil
		}
		sub.RunE = func(cmd *cobra.Command, args []string) error {
			err := run(cmd, args)
			switch {
			case err == nil:
				return nil
			case errors.Is(err, errFaults):
				return exitError(exitFaults)
			}
			return failed(cmd, err)
		}
	}
	return cmd
}

// failed prints why a command cannot do its work, and returns the error that ends the process.
func failed(cmd *cobra.Command, err error) error {
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", cmd.CommandPath(), err)
	return exitError(exitFailed)
}
