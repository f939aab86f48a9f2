package main

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/httpprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/otelcol-tc/otelcol-tc/internal/doctor"
	"github.com/otelcol-tc/otelcol-tc/provider/builtinprovider"
)

// The command doctor. The builder writes main.go and takes no commands for it, so this one is
// looked for before main runs.
func init() {
	if len(os.Args) > 1 && os.Args[1] == "doctor" {
		os.Exit(runDoctor(os.Args[2:]))
	}
}

func runDoctor(args []string) int {
	factories, err := components()
	if err != nil {
		fmt.Fprintln(os.Stderr, "otelcol-tc doctor:", err)
		return 2
	}
	return doctor.Run(context.Background(), doctor.Settings{
		Factories: factories,
		// Those of main.go. A test compares them.
		Providers: []confmap.ProviderFactory{
			builtinprovider.NewFactory(),
			envprovider.NewFactory(),
			fileprovider.NewFactory(),
			httpprovider.NewFactory(),
			yamlprovider.NewFactory(),
		},
	}, args, os.Stdout, os.Stderr)
}
