package doctor

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/otelcol"
)

// Exit codes of the command.
const (
	exitHealthy    = 0 // nothing, or notes only
	exitFindings   = 1
	exitUnreadable = 2
)

// Settings say what the collector consists of.
type Settings struct {
	Factories otelcol.Factories
	Providers []confmap.ProviderFactory
}

// Run executes the command and returns its exit code. Findings go to out, whatever keeps the
// configuration from being read to errOut.
func Run(ctx context.Context, set Settings, args []string, out, errOut io.Writer) int {
	opts, err := parseFlags(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return exitHealthy
	}
	if err != nil {
		return unreadable(errOut, err)
	}
	findings, err := diagnose(ctx, set, opts.uris)
	if writeErr := opts.format(out, findings); writeErr != nil {
		return unreadable(errOut, writeErr)
	}
	switch {
	case err != nil:
		return unreadable(errOut, err)
	case hasWarning(findings):
		return exitFindings
	}
	return exitHealthy
}

func unreadable(errOut io.Writer, err error) int {
	fmt.Fprintln(errOut, "otelcol-tc doctor:", err)
	return exitUnreadable
}

// diagnose applies the rules. With an error the findings are those that may explain it.
func diagnose(ctx context.Context, set Settings, uris []string) ([]Finding, error) {
	c, err := load(ctx, set, uris)
	findings := findUnsetVariables(c)
	if err == nil {
		for _, rule := range rules {
			findings = append(findings, rule.apply(c)...)
		}
	}
	return sorted(findings), err
}

// options are the flags.
type options struct {
	uris   []string
	format func(io.Writer, []Finding) error
}

// parseFlags takes the collector's own flags, so that a command line of it can be given as it
// is, and --format.
func parseFlags(args []string, out io.Writer) (options, error) {
	var configs, sets []string
	format := "text"
	f := flag.NewFlagSet("otelcol-tc doctor", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Func("config", "", func(value string) error {
		configs = append(configs, value)
		return nil
	})
	f.Func("set", "", func(value string) error {
		key, content, ok := strings.Cut(value, "=")
		if !ok {
			return errors.New("must be key=value")
		}
		sets = append(sets, "yaml:"+strings.TrimSpace(strings.ReplaceAll(key, ".", confmap.KeyDelimiter))+": "+strings.TrimSpace(content))
		return nil
	})
	f.StringVar(&format, "format", format, "")
	featuregate.GlobalRegistry().RegisterFlags(f)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			usage(out)
		}
		return options{}, err
	}
	formats := map[string]func(io.Writer, []Finding) error{"text": writeText, "json": writeJSON}
	opts := options{uris: append(configs, sets...), format: formats[format]}
	switch {
	case f.NArg() > 0:
		return options{}, fmt.Errorf("unknown argument %q: a configuration is given with --config", f.Arg(0))
	case len(configs) == 0:
		return options{}, errors.New("--config must be given: what to look at")
	case opts.format == nil:
		return options{}, fmt.Errorf("--format must be text or json (got %q)", format)
	}
	return opts, nil
}
