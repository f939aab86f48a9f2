// SPDX-License-Identifier: Apache-2.0

package security

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The built-in configurations listen on loopback and nowhere else, whatever else a component may
// open; and the addresses that the environment can change are on loopback when it does not.
func TestNobodyListensBeyondLoopback(t *testing.T) {
	t.Parallel()
	for _, configs := range [][]string{
		{"builtin:dev"}, collectortest.WithFragments("agent-host"), {"builtin:gateway"}, collectortest.WithFragments("gateway-span-metrics", "gateway-kafka"),
	} {
		t.Run(strings.Join(configs, " "), func(t *testing.T) {
			t.Parallel()
			for setting, address := range addressesOf(t, configs) {
				host, _, err := net.SplitHostPort(address)
				require.NoError(t, err, setting)
				assert.True(t, net.ParseIP(host).IsLoopback(), "%s is %s", setting, address)
			}
			open := listeners(t, collectortest.Start(t, collectortest.Options{Configs: configs}).PID())
			assert.GreaterOrEqual(t, len(open), 4, "OTLP twice, health and its own metrics")
			for _, address := range open {
				assert.True(t, address.IP.IsLoopback(), "listens on %s", address)
			}
		})
	}
}

// addressesOf returns where components listen with nothing set.
func addressesOf(t *testing.T, configs []string) map[string]string {
	t.Helper()
	conf, found := collectortest.Resolve(t, configs...), map[string]string{}
	for _, setting := range conf.AllKeys() {
		parts := strings.Split(setting, confmap.KeyDelimiter)
		isServer := slices.Contains([]string{"receivers", "extensions", "connectors"}, parts[0]) || strings.HasPrefix(setting, "exporters::prometheus_page::")
		if parts[len(parts)-1] == "endpoint" && isServer && !slices.Contains(parts, "redis") {
			found[setting] = fmt.Sprint(conf.Get(setting))
		}
	}
	require.GreaterOrEqual(t, len(found), 3)
	for _, reader := range conf.Get("service::telemetry::metrics::readers").([]any) {
		pull, err := confmap.NewFromStringMap(reader.(map[string]any)).Sub("pull::exporter::prometheus")
		require.NoError(t, err)
		found["telemetry"] = net.JoinHostPort(fmt.Sprint(pull.Get("host")), fmt.Sprint(pull.Get("port")))
	}
	return found
}

// listeners returns the addresses that a process accepts connections on.
func listeners(t *testing.T, pid int) (open []*net.TCPAddr) {
	t.Helper()
	const listen = "0A" // TCP_LISTEN, as the kernel writes it
	directory := fmt.Sprintf("/proc/%d", pid)
	own := map[string]bool{}
	handles, err := filepath.Glob(directory + "/fd/*")
	require.NoError(t, err)
	for _, handle := range handles {
		// Some are closed by now.
		if target, err := os.Readlink(handle); err == nil && strings.HasPrefix(target, "socket:[") {
			own[strings.Trim(strings.TrimPrefix(target, "socket:"), "[]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		content, err := os.ReadFile(directory + "/net/" + table)
		if err != nil {
			t.Skipf("no table of sockets to read here: %v", err)
		}
		for line := range strings.Lines(string(content)) {
			if fields := strings.Fields(line); fields[0] != "sl" && fields[3] == listen && own[fields[9]] {
				open = append(open, kernelAddress(t, fields[1]))
			}
		}
	}
	return open
}

// kernelAddress reads an address as the kernel writes it: in hexadecimal, each four bytes of the
// address the other way round.
func kernelAddress(t *testing.T, text string) *net.TCPAddr {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	ip, err := hex.DecodeString(host)
	require.NoError(t, err)
	for word := range slices.Chunk(ip, 4) {
		slices.Reverse(word)
	}
	address := &net.TCPAddr{IP: ip}
	_, err = fmt.Sscanf(port, "%X", &address.Port)
	require.NoError(t, err)
	return address
}
