// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// seriesTable says what became of each system's series.
type seriesTable struct{ rows []string }

func (table *seriesTable) add(s *target, p *compared) {
	var in, out, copies int
	for name, f := range p.sent {
		in += len(f.series)
		out += len(p.received[name].series)
	}
	for _, f := range p.received {
		if f.copyOf {
			copies += len(f.series)
		}
	}
	table.rows = append(table.rows, fmt.Sprintf("| %s | %d | %d | %d | %d | %d |", s.system.Name(), len(p.sent), in, out, copies, len(s.dashboard)))
}

const (
	beginTable = "<!-- series: UPDATE_GOLDEN=1 go test ./tests/inference -run TestPages writes this table -->\n"
	endTable   = "<!-- end of series -->\n"
	tableHead  = "| system | families | series in | series out | canonical copies | names of public dashboards, all unchanged |\n| --- | --- | --- | --- | --- | --- |\n"
)

// check compares the table with the one in docs/inference.md, if it has one.
func (table *seriesTable) check(t *testing.T) {
	t.Helper()
	slices.Sort(table.rows)
	want := tableHead + strings.Join(table.rows, "\n") + "\n"
	t.Logf("a histogram is one series here:\n%s", want)
	file := filepath.Join(collectortest.Root(t), "docs", "inference.md")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(text), beginTable)
	got, after, ends := strings.Cut(rest, endTable)
	if !begins || !ends || t.Failed() {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(before+beginTable+want+endTable+after), 0o644))
		return
	}
	assert.Equal(t, want, got, "%s: UPDATE_GOLDEN=1 writes the table anew", file)
}
