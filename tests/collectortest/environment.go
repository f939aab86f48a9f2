// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// variablePrefix is the prefix of all variables that the built-in configurations read.
const variablePrefix = "OTELCOL_TC_"

// environment returns the variables that set a test's ports and directory in a built-in configuration. The
// overrides of the test win.
func environment(t testing.TB, dataDir string, overrides map[string]string) map[string]string {
	t.Helper()
	// Another process may take a port before the collector does. Start then retries with other ports.
	addresses, err := loopback.FreeAddresses(7)
	if err != nil {
		t.Fatal(err)
	}
	telemetryHost, telemetryPort, err := net.SplitHostPort(addresses[4])
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"OTELCOL_TC_OTLP_GRPC_ENDPOINT":  addresses[0],
		"OTELCOL_TC_OTLP_HTTP_ENDPOINT":  addresses[1],
		"OTELCOL_TC_PROMETHEUS_ENDPOINT": addresses[2],
		"OTELCOL_TC_HEALTH_ENDPOINT":     addresses[3],
		"OTELCOL_TC_PAGE_ENDPOINT":       addresses[5],
		"OTELCOL_TC_TELEMETRY_HOST":      telemetryHost,
		"OTELCOL_TC_TELEMETRY_PORT":      telemetryPort,
		"OTELCOL_TC_READINESS_ENDPOINT":  addresses[6],
		"OTELCOL_TC_DATA":                dataDir,
		"OTELCOL_TC_STATE":               filepath.Join(dataDir, "state"),
		"OTELCOL_TC_SCRAPE_INTERVAL":     "1s",
		// Prevents the use of files of this machine.
		"OTELCOL_TC_LOG_FILES":     fmt.Sprintf("[%q]", filepath.Join(dataDir, "none", "*.log")),
		"OTELCOL_TC_POD_LOG_FILES": fmt.Sprintf("[%q]", filepath.Join(dataDir, "none", "*.log")),
		"OTELCOL_TC_KUBELET":       filepath.Join(dataDir, "none"),
		// Most agents have no Kubernetes API.
		"OTELCOL_TC_POD_WAIT": "0s",
	}
	maps.Copy(env, overrides)
	return env
}

// processEnvironment returns the test's own environment, with env instead of all variables that the
// built-in configurations read.
func processEnvironment(env map[string]string) []string {
	var all []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, variablePrefix) {
			all = append(all, variable)
		}
	}
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}
