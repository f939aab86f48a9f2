// SPDX-License-Identifier: Apache-2.0

// Package usage implements the command otelcol-tc usage: it finds the attributes of metrics that nobody reads,
// and writes settings of the cardinality processor that merge their series without changing the result of a query.
//
// Package internal/usage decides. series.go reads which series there are, and prove.go evaluates queries before and
// after merging.
package usage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/usage"
)

// options are the flags of the command.
type options struct {
	format, processor, series   string
	grafana, token, log, prover string
	limit                       float64
	window                      time.Duration
}

// NewCommand returns the command. Its errors have a method ExitCode.
func NewCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:           "usage FILE|DIRECTORY...",
		Short:         "Shows which attributes of metrics no dashboard, rule or autoscaler reads",
		Long:          long,
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true, // the command prints them
	}
	flags := cmd.Flags()
	flags.StringVar(&o.format, "output", "table", "table, json, or yaml: settings of the cardinality processor")
	flags.StringVar(&o.processor, "processor", "cardinality", "the cardinality processor of --output yaml")
	flags.StringVar(&o.series, "series", "", "which series there are: the URL of the conformance page, of a Prometheus or of a page of metrics, or a file with such a page")
	flags.StringVar(&o.grafana, "grafana", "", "the URL of a Grafana, whose dashboards and alerts are read too")
	flags.StringVar(&o.token, "grafana-token", "", "the token of a service account of that Grafana that can view them")
	flags.StringVar(&o.log, "query-log", "", "Prometheus' query log, a file with JSON lines")
	flags.StringVar(&o.prover, "prove", "", "the URL of a Prometheus: evaluate each query on its series, before and after merging")
	flags.DurationVar(&o.window, "prove-window", time.Hour, "how far before now --prove begins to evaluate")
	flags.Float64Var(&o.limit, "prove-limit", 0.01, "by how much of a value --prove accepts another one: series that begin or end within a range are extrapolated differently")
	cmd.SetFlagErrorFunc(cli.Fail)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := o.run(cmd, args); err != nil {
			if exit := cli.Exit(0); errors.As(err, &exit) {
				return err
			}
			return cli.Fail(cmd, err)
		}
		return nil
	}
	return cmd
}

func (o *options) run(cmd *cobra.Command, args []string) error {
	// With it, a thousand dashboards take less than 300 MiB, for half more CPU time.
	defer debug.SetGCPercent(debug.SetGCPercent(30))
	ctx := cmd.Context()
	if !slices.Contains([]string{"table", "json", "yaml"}, o.format) {
		return fmt.Errorf("--output: must be one of table, json or yaml (got %q)", o.format)
	}
	if len(args) == 0 && o.grafana == "" && o.log == "" {
		return errors.New("no readers: name dashboards, rules or directories of them, --grafana or --query-log")
	}
	if o.format == "yaml" && o.series == "" {
		return errors.New("--output yaml: needs --series, which shows the attributes there are")
	}
	r, err := o.read(ctx, args)
	if err != nil {
		return err
	}
	var series []*usage.Known
	if o.series == "" {
		o.series = o.prover
	}
	if o.series != "" {
		if series, err = live(ctx, o.series, r); err != nil {
			return fmt.Errorf("--series %s: %w", o.series, err)
		}
	}
	u, out, same := usage.Analyse(r, series), cmd.OutOrStdout(), true
	switch {
	case o.prover != "":
		same, err = o.prove(ctx, out, r, u)
	case o.format == "json":
		err = writeJSON(out, u)
	case o.format == "yaml":
		u.WriteYAML(out, o.processor)
	default:
		err = writeTable(out, u)
	}
	if err == nil && (!same || u.Unreadable > 0) {
		err = cli.Faults
	}
	return err
}

// read collects all readers.
func (o *options) read(ctx context.Context, args []string) (*usage.Readings, error) {
	r := usage.NewReadings()
	if err := places.Each(args, r.Add); err != nil {
		return nil, err
	}
	if o.grafana != "" {
		if err := o.dashboards(ctx, r.Add); err != nil {
			return nil, fmt.Errorf("--grafana: %w", err)
		}
	}
	if o.log == "" {
		return r, nil
	}
	file, err := os.Open(o.log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := r.Log(o.log, file); err != nil {
		return nil, fmt.Errorf("--query-log %s: %w", o.log, err)
	}
	return r, nil
}

// dashboardsAtOnce is how many dashboards Grafana lists in an answer, and panelsAtOnce how many library panels it sends.
const dashboardsAtOnce, panelsAtOnce = 1000, 100

// dashboards reads the dashboards, library panels and alerting rules of a Grafana.
func (o *options) dashboards(ctx context.Context, add func(*places.Source)) error {
	get := func(path string, answer any) (string, error) {
		text, err := cli.Answer(ctx, o.grafana+path, o.token, maxAnswer)
		if err == nil && answer != nil {
			err = json.Unmarshal(text, answer)
		}
		return string(text), err
	}
	for page := 1; ; page++ {
		var found []struct {
			UID   string `json:"uid"`
			Title string `json:"title"`
		}
		if _, err := get(fmt.Sprintf("/api/search?type=dash-db&limit=%d&page=%d", dashboardsAtOnce, page), &found); err != nil {
			return err
		}
		for _, dashboard := range found {
			text, err := get("/api/dashboards/uid/"+url.PathEscape(dashboard.UID), nil)
			if err != nil {
				return err
			}
			add(places.NewSource("dashboard "+dashboard.Title, text))
		}
		if len(found) < dashboardsAtOnce {
			break
		}
	}
	for page := 1; ; page++ {
		var found struct {
			Result struct {
				Elements []json.RawMessage `json:"elements"`
			} `json:"result"`
		}
		text, err := get(fmt.Sprintf("/api/library-elements?kind=1&perPage=%d&page=%d", panelsAtOnce, page), &found)
		if err != nil {
			return err
		}
		add(places.NewSource("library panels of Grafana", text))
		if len(found.Result.Elements) < panelsAtOnce {
			break
		}
	}
	rules, err := get("/api/v1/provisioning/alert-rules", nil)
	if err != nil {
		return err
	}
	add(places.NewSource("alerting rules of Grafana", rules))
	return nil
}

const long = `Reads what reads metrics: dashboards of Grafana and Perses, rules of Prometheus and Mimir,
HorizontalPodAutoscalers, KEDA's ScaledObjects, prometheus-adapter's rules, also inside of a ConfigMap,
and Prometheus' query log. For each attribute of each metric it decides whether a query needs it:
it is free if all queries have the same result after the series that differ only in it are merged.

What a query with a variable in a name or in place of one, or with a pattern of names, may read is
needed. Such queries are listed. With a file that cannot be read the settings are comments, and the exit
code is 1. The results of recording rules are followed to who reads them.

--series shows which attributes there are, and how many series go. --output yaml writes settings of the
cardinality processor: attributes to remove, and how gauges have to be merged. Metrics that nobody
reads are comments.

--prove evaluates the queries on the series of a Prometheus, and on the same series merged. Its exit code is 1 if a
result differs. At the edges of a range Prometheus extrapolates; a series that begins or ends there
differs by what --prove-limit states.

Examples:
  otelcol-tc usage dashboards/ rules/
  otelcol-tc usage --series http://localhost:8188 --output yaml dashboards/ rules/
  otelcol-tc usage --grafana https://grafana.example --grafana-token "$TOKEN" --prove http://prometheus:9090 rules/`
