// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// row is a line of the table.
type row struct {
	name string
	tally
	told   told
	failed bool
	notes  []string
}

func (r *row) String() string {
	notes := strings.Join(r.notes, "; ")
	if r.failed {
		notes = strings.TrimPrefix(notes+"; FAILED", "; ")
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %v | %v | %s |", r.name,
		r.offered, r.accepted, r.delivered, r.doubled, r.dropped, r.told.refused, r.told.failed, notes)
}

var rows struct {
	mu  sync.Mutex
	all []*row // guarded by mu
}

func addRow(r *row) {
	rows.mu.Lock()
	defer rows.mu.Unlock()
	rows.all = append(rows.all, r)
}

// together is how many tests run at once, unless -parallel says so: they wait more than they work.
const together = "4"

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", together); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	slices.SortFunc(rows.all, func(a, b *row) int { return strings.Compare(a.name, b.name) })
	fmt.Println("| fault | offered | accepted | delivered | doubled | dropped | told: refused | told: failed | |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for _, r := range rows.all {
		fmt.Println(r)
	}
	os.Exit(code)
}

// told is what a collector's own metrics say, in items.
type told struct {
	refused float64 // by the receiver, after decoding
	failed  float64 // refused for good by the next hop
}

// itemsOf is how the collector's own metrics call the items of a signal.
var itemsOf = map[signal]string{traces: "spans", metrics: "metric_points", logs: "log_records"}

// refusedForGood is the metric that the alert BackendFailing reads.
const refusedForGood = "otelcol_spillover_refused_items"

// ask reads a collector's own metrics of one signal. Traces are the signal to ask for:
// what conformance says is metrics and logs of the gateway's own.
func ask(t *testing.T, c *collectortest.Collector, kind signal) told {
	t.Helper()
	families := c.SelfMetrics(t)
	return told{
		refused: collectortest.Sum(families["otelcol_receiver_refused_"+itemsOf[kind]], nil),
		failed:  collectortest.Sum(families[refusedForGood], map[string]string{"signal": string(kind)}),
	}
}
