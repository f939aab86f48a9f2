// SPDX-License-Identifier: Apache-2.0

// Package migrate implements the command otelcol-tc migrate: it rewrites the queries of dashboards,
// rules and autoscalers for the names that the packs give metrics and labels.
//
// Packages do the work: internal/places/document reads files so that texts can be changed in place, and
// places finds the queries in them. Of its own packages, names decides what a metric is called on our Prometheus page,
// and rewrite rewrites a query that internal/promql read. This package joins them and writes the results.
package migrate

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// maxPage is the size of the largest page of metrics, in bytes.
const maxPage = 64 << 20

// Settings describe the collector: the providers of its configuration.
type Settings struct {
	Providers []confmap.ProviderFactory
}

// options are the flags of the command.
type options struct {
	packs, configs, metrics []string
	service                 string
}

func (o *options) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&o.packs, "packs", nil, "packs, the first one decides: files, names of built-in packs, or builtin for all of those")
	flags.StringArrayVar(&o.configs, "config", nil, "the collector's configuration, whose conventions extension has the packs and the other settings")
	flags.StringVar(&o.service, "service", "", "the service.name of what queries without a matcher on job select")
	flags.StringArrayVar(&o.metrics, "metrics", nil, "a page of metrics, or Prometheus' /api/v1/metadata, as a file or a URL: it shows types and labels")
}

// names returns the decisions on names.
func (o *options) names(cmd *cobra.Command, set Settings) (*names.Names, error) {
	ctx := cmd.Context()
	config, err := cli.Policy(ctx, set.Providers, o.packs, o.configs)
	if err != nil {
		return nil, err
	}
	p, err := policy.New(*config)
	if err != nil {
		return nil, err
	}
	if config.Mode == policy.Audit {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: the configuration has mode: audit, so its page has the old names until that is enforce\n", cmd.CommandPath())
	}
	by := names.New(p.Namer(), p.Packs(), o.service, p.Owners())
	for _, from := range o.metrics {
		text, err := cli.Text(ctx, from, maxPage)
		if err == nil {
			err = by.Read(text)
		}
		if err != nil {
			return nil, fmt.Errorf("--metrics %s: %w", from, err)
		}
	}
	return by, nil
}

// run decides all texts of files.
func (o *options) run(cmd *cobra.Command, set Settings, arguments []string) (*migration, error) {
	if len(arguments) == 0 {
		return nil, errors.New("no files: name dashboards, rules or directories of them")
	}
	by, err := o.names(cmd, set)
	if err != nil {
		return nil, err
	}
	all, err := places.Read(arguments)
	if err != nil {
		return nil, err
	}
	return migrate(all, by), nil
}

// NewCommand returns the command. It writes results to its output, and errors of its own work to its error
// output. Its errors have a method ExitCode.
func NewCommand(set Settings) *cobra.Command {
	var o options
	var write, check bool
	cmd := &cobra.Command{
		Use:           "migrate FILE|DIRECTORY...",
		Short:         "Rewrites dashboards, rules and autoscalers for the names that packs give metrics",
		Long:          long,
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true, // the command prints them
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&write, "write", false, "change the files")
	cmd.Flags().BoolVar(&check, "check", false, "exit with 1 if a file would change, or if something is not decided")
	cmd.SetFlagErrorFunc(cli.Fail)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if write && check {
			return cli.Fail(cmd, errors.New("--write and --check exclude each other"))
		}
		m, err := o.run(cmd, set, args)
		if err != nil {
			return cli.Fail(cmd, err)
		}
		out := cmd.OutOrStdout()
		for _, c := range m.changed {
			if err := c.writeDiff(out); err != nil {
				return cli.Fail(cmd, err)
			}
		}
		m.writeUndecided(out)
		m.writeSummary(out)
		if write {
			if err := m.write(); err != nil {
				return cli.Fail(cmd, err)
			}
		}
		if check && (len(m.changed) > 0 || len(m.undecided) > 0) {
			return cli.Faults
		}
		return nil
	}
	return cmd
}

const long = `Rewrites the names of metrics and labels in PromQL by the packs' decisions, for queries of the
collector's Prometheus page: in Grafana dashboards, rules of Prometheus, HorizontalPodAutoscalers,
KEDA's ScaledObjects and prometheus-adapter's rules, also inside of a ConfigMap. Directories are read with all their JSON and YAML files.

It prints a unified diff, and what it cannot decide: the file and the line, the query and why.
Such a query stays as it is. Only the words of queries change, the rest of a file stays.

The exit code is 0. With --check it is 1 if a file would change or if something is not decided.
It is 2 if the command cannot do its work.

Examples:
  otelcol-tc migrate dashboards/ alerts.yaml              show what would change
  otelcol-tc migrate --write dashboards/ alerts.yaml      change it
  otelcol-tc migrate --metrics http://server:8000/metrics --packs ./mine.yaml,builtin dashboards/
  otelcol-tc migrate --check --config agent.yaml .        for CI`
