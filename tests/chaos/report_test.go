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
