// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/connector/spanmetricsconnector"
	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusremotewriteexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/bearertokenauthextension"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/healthcheckextension"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/groupbytraceprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/k8sattributesprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/probabilisticsamplerprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/tailsamplingprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/filelogreceiver"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/httpprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/forwardconnector"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/debugexporter"
	"go.opentelemetry.io/collector/exporter/nopexporter"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/zpagesextension"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/batchprocessor"
	"go.opentelemetry.io/collector/processor/memorylimiterprocessor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/nopreceiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector"
	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter"
	"github.com/otelcol-tc/otelcol-tc/extension/conventionsextension"
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver"
	"github.com/otelcol-tc/otelcol-tc/tests/clitest"
)

// settings returns the settings of a collector with the components that rules check.
func settings(t testing.TB) Settings {
	t.Helper()
	all := otelcol.Factories{
		Telemetry: otelconftelemetry.NewFactory(),
		Receivers: factories[receiver.Factory](t, otlpreceiver.NewFactory(), prometheusreceiver.NewFactory(),
			filelogreceiver.NewFactory(), runtimelogreceiver.NewFactory(), nopreceiver.NewFactory()),
		Processors: factories[processor.Factory](t, memorylimiterprocessor.NewFactory(), batchprocessor.NewFactory(),
			namingprocessor.NewFactory(), cardinalityprocessor.NewFactory(), logcorrelationprocessor.NewFactory(),
			spanlinkprocessor.NewFactory(), tailsamplingprocessor.NewFactory(), probabilisticsamplerprocessor.NewFactory(),
			k8sattributesprocessor.NewFactory(), groupbytraceprocessor.NewFactory()),
		Exporters: factories[exporter.Factory](t, otlpexporter.NewFactory(), otlphttpexporter.NewFactory(),
			prometheusexporter.NewFactory(), fileexporter.NewFactory(),
			debugexporter.NewFactory(), nopexporter.NewFactory(), prometheusremotewriteexporter.NewFactory(),
			rendezvousexporter.NewFactory()),
		Connectors: factories[connector.Factory](t, forwardconnector.NewFactory(), spanmetricsconnector.NewFactory(),
			conformanceconnector.NewFactory(), spilloverconnector.NewFactory()),
		Extensions: factories[extension.Factory](t, healthcheckextension.NewFactory(), zpagesextension.NewFactory(),
			filestorage.NewFactory(), bearertokenauthextension.NewFactory(), correlationindexextension.NewFactory(),
			conventionsextension.NewFactory()),
	}
	set := Settings{Factories: func() (otelcol.Factories, error) { return all, nil }}
	set.Values = cli.NewValues(set.Factories)
	set.Providers = set.Values.Wrap([]confmap.ProviderFactory{
		envprovider.NewFactory(), fileprovider.NewFactory(), httpprovider.NewFactory(), yamlprovider.NewFactory(),
	})
	return set
}

func factories[F component.Factory](t testing.TB, all ...F) map[component.Type]F {
	t.Helper()
	byType, err := otelcol.MakeFactoryMap(all...)
	require.NoError(t, err)
	return byType
}

// run executes the command and returns its exit code.
func run(t testing.TB, args ...string) (code int, out, errOut string) {
	t.Helper()
	return runWith(t, settings(t), args...)
}

// runWith runs the command with the given settings.
func runWith(t testing.TB, set Settings, args ...string) (code int, out, errOut string) {
	t.Helper()
	out, errOut, code = clitest.Run(t, NewCommand(set), args...)
	return code, out, errOut
}
