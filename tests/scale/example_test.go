// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// What the third example has, of a node and in a second.
const (
	nodes    = 5000
	gateways = 34

	pods          = 40
	podsOfService = 4  // of these, of the service that has most
	metricsOfPod  = 75 // exporters have one to five series of a metric
	seriesOfPod   = 375

	spans      = 100
	keyedSpans = 10
	points     = 1000
	records    = 50 + 1000 // and lines of files
	window     = 600       // seconds for which a key is remembered
)

// divisor divides the load, and the budgets that hold it.
func divisor() int {
	if os.Getenv("TC_SCALE") != "" {
		return 1
	}
	return 16
}

// nodesOfGateway is how many nodes' load a gateway gets.
const nodesOfGateway = float64(nodes) / gateways

// claim returns the number in a column of the row of docs/sizing.md that begins with this name.
func claim(t *testing.T, row string, column int) float64 {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(collectortest.Root(t), "docs/sizing.md"))
	require.NoError(t, err)
	columns := strings.Split(regexp.MustCompile(`(?m)^\| `+regexp.QuoteMeta(row)+` \|.*`).FindString(string(page)), "|")
	require.Greater(t, len(columns), column+1, row)
	number := regexp.MustCompile(`[\d.,]+`).FindString(columns[column+1])
	n, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	require.NoError(t, err, row)
	return n
}
