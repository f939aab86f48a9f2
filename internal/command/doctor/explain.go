// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/facts"
	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/rules"
)

// ExplainFaults makes validate name the file, the line and the key of what it refuses: the errors of the collector's
// library name none of a file with a YAML fault, and no file for the others.
func ExplainFaults(validate *cobra.Command, set Settings) {
	var configs, sets []string
	record := func(name string, values *[]string) {
		flag := validate.Flags().Lookup(name)
		flag.Value = recordedFlag{flag.Value, values}
	}
	record("config", &configs)
	record("set", &sets)
	run := validate.RunE
	validate.RunE = func(cmd *cobra.Command, args []string) error {
		debug.SetGCPercent(shortLived)
		err := run(cmd, args)
		if err == nil {
			return nil
		}
		return errors.New(strings.Join(append([]string{err.Error()}, explain(cmd.Context(), set, configs, sets)...), "\n"))
	}
}

// recordedFlag records the values that a flag is set to.
type recordedFlag struct {
	pflag.Value
	values *[]string
}

// Set implements pflag.Value.
func (f recordedFlag) Set(value string) error {
	*f.values = append(*f.values, value)
	return f.Value.Set(value)
}

// explain returns a line for each refused setting, which begins with the file, the line and the key. It returns nothing
// if it does not know.
func explain(ctx context.Context, set Settings, configs, sets []string) (lines []string) {
	uris, err := urisOf(configs, sets)
	if err != nil {
		return nil
	}
	factories, err := set.Factories()
	if err != nil {
		return nil
	}
	c, err := facts.Load(ctx, factories, set.Providers, set.Values, uris)
	if err != nil {
		if c.Sources.Explains(err) {
			return []string{err.Error()}
		}
		return nil
	}
	for _, f := range rules.Refused(c) {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text))
	}
	return lines
}
