// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sizingPage = "docs/sizing.md"

const (
	mebibyte = 1 << 20
	// agentQueue is the default of OTELCOL_TC_QUEUE_SIZE at an agent.
	agentQueue = 256 * mebibyte
	// gatewayQueue is the same at a gateway.
	gatewayQueue = 1024 * mebibyte
	// seriesBytes are of a series that goes out as it came, as cardinality's README has it.
	seriesBytes = 356
	// refusedFrom is the part of a memory limit from which on data is refused, by default.
	refusedFrom = 0.55
	// gatewayCores are those of a gateway that are used: 70 % of two.
	gatewayCores = 1.4
)

// itemCost is what an item takes of agents and gateways.
type itemCost struct{ agentCPU, gatewayCPU, agentBytes, gatewayBytes float64 }

// roleCost is what a process takes without items, and at full speed.
type roleCost struct{ cpu, rest, peak float64 }

// sizing is what the page says was measured.
type sizing struct {
	span, point, record, line itemCost
	agent, gateway            roleCost
}

// rates are items a second.
type rates struct{ spans, points, records, lines float64 }

func (r rates) of(nodes float64) rates {
	return rates{r.spans * nodes, r.points * nodes, r.records * nodes, r.lines * nodes}
}

func (s sizing) sum(r rates, of func(itemCost) float64) float64 {
	return r.spans*of(s.span) + r.points*of(s.point) + r.records*of(s.record) + r.lines*of(s.line)
}

func (s sizing) agentCores(r rates) float64 {
	return s.agent.cpu + s.sum(r, func(c itemCost) float64 { return c.agentCPU })/1e6
}

func (s sizing) gatewayCores(r rates) float64 {
	return s.sum(r, func(c itemCost) float64 { return c.gatewayCPU })/1e6 + s.gateway.cpu
}

func (s sizing) gateways(r rates) float64 {
	return max(2, math.Ceil(s.gatewayCores(r)/gatewayCores)+1)
}

// hour is what a gateway gets in an hour while another is away, in GiB.
func (s sizing) hour(r rates) float64 {
	return s.sum(r, func(c itemCost) float64 { return c.gatewayBytes }) * 3600 / (s.gateways(r) - 1) / (1 << 30)
}

// lasts is after how many minutes the first of an agent's queues is full.
func (s sizing) lasts(r rates) float64 {
	return agentQueue / max(r.spans*s.span.agentBytes, r.points*s.point.agentBytes, r.records*s.record.agentBytes) / 60
}

// last is after how many minutes the first of the gateways' queues are full.
func (s sizing) last(r rates) float64 {
	most := max(r.spans*s.span.gatewayBytes, r.points*s.point.gatewayBytes, r.records*s.record.gatewayBytes+r.lines*s.line.gatewayBytes)
	return gatewayQueue * (s.gateways(r) - 1) / most / 60
}

// limit is a container's memory limit in MiB, a multiple of 64.
func limit(peak, state float64) float64 { return math.Ceil((peak+state)/refusedFrom/64) * 64 }

// seriesIn are how many fit into so many MiB, in thousands: half is for Go's garbage, and an eighth
// of the other half is for overflow series.
func seriesIn(room int) int { return room * mebibyte / 2 / 8 * 7 / seriesBytes / 1000 * 1000 }

// table is one of the page: its rows as cells, without the head.
type table [][]string

var tableOf = func(columns string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(columns) + `[^\n]*\n\|[-: |]+\n((?:\|[^\n]*\n)+)`)
}

// tableWith returns the table whose head begins so.
func tableWith(t *testing.T, page, columns string) (rows table) {
	t.Helper()
	match := tableOf(columns).FindStringSubmatch(page)
	require.NotNil(t, match, columns)
	for line := range strings.Lines(match[1]) {
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|\n"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	return rows
}

func numbers(t *testing.T, cells []string) (all []float64) {
	t.Helper()
	for _, cell := range cells {
		number, err := strconv.ParseFloat(cell, 64)
		require.NoError(t, err)
		all = append(all, number)
	}
	return all
}

// measuredSizing reads what was measured.
func measuredSizing(t *testing.T, page string) (s sizing) {
	t.Helper()
	items := map[string]*itemCost{"span": &s.span, "metric point": &s.point, "log record": &s.record, "line of a log file": &s.line}
	for _, row := range tableWith(t, page, "item |") {
		n := numbers(t, row[1:])
		require.Contains(t, items, row[0])
		*items[row[0]] = itemCost{n[0], n[1], n[2], n[3]}
		delete(items, row[0])
	}
	require.Empty(t, items)
	for _, row := range tableWith(t, page, "role | CPU") {
		n := numbers(t, row[1:])
		*map[string]*roleCost{"agent": &s.agent, "gateway": &s.gateway}[row[0]] = roleCost{n[0], n[1], n[2]}
	}
	return s
}

// The tables of the page follow from what was measured. UPDATE_GOLDEN=1 makes them follow.
func TestSizingFollowsFromWhatWasMeasured(t *testing.T) {
	file := filepath.Join(repository, sizingPage)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	before := string(content)
	s, want := measuredSizing(t, before), before
	f := func(columns string, inputs int, outputs func(row []string) []string) {
		t.Helper()
		rows := tableWith(t, before, columns)
		require.NotEmpty(t, rows)
		text := ""
		for _, row := range rows {
			text += "| " + strings.Join(append(row[:inputs:inputs], outputs(row[:inputs])...), " | ") + " |\n"
		}
		at := tableOf(columns).FindStringSubmatchIndex(want)
		want = want[:at[2]] + text + want[at[3]:]
	}
	cores := func(n float64) string { return fmt.Sprintf("%.2f", n) }
	f("role | memory limit", 1, func(row []string) []string {
		if row[0] == "agent" {
			return []string{fmt.Sprint(limit(s.agent.peak, 64)), fmt.Sprint(seriesIn(64))}
		}
		return []string{fmt.Sprint(limit(s.gateway.peak, 128+64+128)), fmt.Sprint(seriesIn(128))}
	})
	f("spans | metric points | log records | lines", 4, func(row []string) []string {
		n := numbers(t, row)
		r := rates{n[0], n[1], n[2], n[3]}
		return []string{cores(s.agentCores(r)), fmt.Sprintf("%.0f", s.lasts(r))}
	})
	gateways := func(r rates) []string {
		return []string{cores(s.gatewayCores(r)), fmt.Sprint(s.gateways(r)), fmt.Sprintf("%.1f", s.hour(r)), fmt.Sprintf("%.0f", s.last(r))}
	}
	f("spans | metric points | log records | CPU", 3, func(row []string) []string {
		n := numbers(t, row)
		return gateways(rates{spans: n[0], points: n[1], records: n[2]})
	})
	f("nodes |", 5, func(row []string) []string {
		n := numbers(t, row)
		r := rates{n[1], n[2], n[3], n[4]}
		return append([]string{cores(s.agentCores(r))}, gateways(r.of(n[0]))...)
	})
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o600))
		return
	}
	assert.Equal(t, want, before)
}

// The alerts of the page exist.
func TestSizingNamesAlertsThatExist(t *testing.T) {
	alerts, err := os.ReadFile(filepath.Join(repository, "dashboards", "alerts.yaml"))
	require.NoError(t, err)
	rows := tableWith(t, readPage(t, sizingPage).text, "alert |")
	for _, row := range rows {
		for _, name := range regexp.MustCompile("`([A-Za-z0-9]+)`").FindAllStringSubmatch(row[0], -1) {
			assert.Contains(t, string(alerts), "- alert: "+name[1]+"\n")
		}
	}
}
