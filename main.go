// SPDX-License-Identifier: Apache-2.0

// Command otelcol-tc is an OpenTelemetry Collector for tensor and model-serving clusters.
package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/httpprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/otelcol"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/otelcol-tc/otelcol-tc/internal/boundedzstd"
	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate"
	"github.com/otelcol-tc/otelcol-tc/internal/command/pack"
	"github.com/otelcol-tc/otelcol-tc/internal/command/usage"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/redact"
	"github.com/otelcol-tc/otelcol-tc/internal/runtimetune"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/provider/builtinprovider"
)

func main() {
	boundedzstd.Register()
	if err := newCommand(settings()).Execute(); err != nil {
		os.Exit(exitCode(err))
	}
}

// settings returns the settings of the collector. The OpenTelemetry Collector Builder generates
// components.go, which has the components, from builder-config.yaml.
func settings() otelcol.CollectorSettings {
	return otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{
			Command:     "otelcol-tc",
			Description: "OpenTelemetry Collector distribution for tensor and model-serving clusters",
			Version:     "0.2.0",
		},
		Factories: components,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				ProviderFactories:  providers(),
				ConverterFactories: []confmap.ConverterFactory{policy.NewConverterFactory()},
			},
		},
		ProviderModules: map[string]string{
			"builtin": "github.com/otelcol-tc/otelcol-tc v0.0.0",
			"env":     "go.opentelemetry.io/collector/confmap/provider/envprovider v1.71.0",
			"file":    "go.opentelemetry.io/collector/confmap/provider/fileprovider v1.71.0",
			"http":    "go.opentelemetry.io/collector/confmap/provider/httpprovider v1.71.0",
			"yaml":    "go.opentelemetry.io/collector/confmap/provider/yamlprovider v1.71.0",
		},
		LoggingOptions: []zap.Option{
			zap.WrapCore(redact.Core),
			zap.WrapCore(func(core zapcore.Core) zapcore.Core { return quietCore{core} }),
		},
	}
}

// providers returns the factories of the configuration providers.
func providers() []confmap.ProviderFactory {
	return []confmap.ProviderFactory{
		builtinprovider.NewFactory(),
		envprovider.NewFactory(),
		fileprovider.NewFactory(),
		httpprovider.NewFactory(),
		yamlprovider.NewFactory(),
	}
}

// newCommand returns the collector's own command with the subcommands of this distribution.
func newCommand(set otelcol.CollectorSettings) *cobra.Command {
	values := cli.NewValues(set.Factories)
	resolver := &set.ConfigProviderSettings.ResolverSettings
	resolver.ProviderFactories = values.Wrap(resolver.ProviderFactories)
	set.LoggingOptions = append(set.LoggingOptions, zap.WrapCore(func(core zapcore.Core) zapcore.Core { return startCore{core, values.Hide} }))
	cmd := otelcol.NewCommand(set)
	cmd.SetErr(redact.Writer(os.Stderr))
	runCollector := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := context.WithCancel(cmd.Context())
		defer stop()
		if err := runtimetune.Start(ctx); err != nil {
			return err
		}
		if err := serveProfiles(); err != nil {
			return err
		}
		return runCollector(cmd, args)
	}
	values.HideErrors(cmd)
	diagnosed := doctor.Settings{Factories: set.Factories, Providers: resolver.ProviderFactories, Values: values}
	for _, sub := range cmd.Commands() {
		switch sub.Name() {
		case "print-config":
			redactOutput(sub)
			values.HideErrors(sub)
		case "validate":
			doctor.ExplainFaults(sub, diagnosed)
			values.HideErrors(sub)
		}
	}
	diagnose := doctor.NewCommand(diagnosed)
	diagnose.SetOut(redact.Writer(os.Stdout))
	rewrite := migrate.NewCommand(migrate.Settings{Providers: providers()})
	packs := pack.NewCommand(pack.Settings{Providers: providers(), Naming: namingprocessor.NewFactory()})
	cmd.AddCommand(diagnose, rewrite, usage.NewCommand(), packs)
	return cmd
}

// redactOutput makes print-config remove also the secrets that no type marks, and user info from URLs, unless it is told
// to show secrets.
func redactOutput(printConfig *cobra.Command) {
	printConfig.PreRun = func(cmd *cobra.Command, _ []string) {
		if mode := cmd.Flag("mode").Value.String(); !strings.EqualFold(mode, "unredacted") {
			cmd.SetOut(redact.Output(cmd.OutOrStdout()))
		}
	}
}

func exitCode(err error) int {
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 1
}
