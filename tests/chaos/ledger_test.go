// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// ledger notes what became of each item. Items are numbered from 0. All methods are
// safe for concurrent use.
type ledger struct {
	mu    sync.Mutex
	items []item // guarded by mu
}

type item struct {
	accepted  bool
	delivered uint16
}

// tally is what became of all items.
type tally struct {
	offered, accepted, delivered, doubled, dropped int
}

// offer makes n new items and returns the id of the first.
func (l *ledger) offer(n int) (first int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first = len(l.items)
	l.items = append(l.items, make([]item, n)...)
	return first
}

// accept notes that a collector said that it has them.
func (l *ledger) accept(first, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := first; id < first+n; id++ {
		l.items[id].accepted = true
	}
}

// deliver notes that a backend said that it has them. Ids that nobody offered are
// of another test that had the backend's port before.
func (l *ledger) deliver(ids []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if id < len(l.items) {
			l.items[id].delivered++
		}
	}
}

func (l *ledger) tally() tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := tally{offered: len(l.items)}
	for _, item := range l.items {
		if item.accepted {
			sum.accepted++
		}
		switch {
		case item.delivered > 0:
			sum.delivered++
			sum.doubled += int(item.delivered) - 1
		case item.accepted:
			sum.dropped++
		}
	}
	return sum
}

// Of what arrives, only items of a ledger have ids: a gateway also sends what its
// conformance connector says.

func spanIDs(data ptrace.Traces) (ids []int) {
	for span := range collectortest.SpansOf(data) {
		ids = appendMarked(ids, span.SpanID())
	}
	return ids
}

func pointIDs(data pmetric.Metrics) (ids []int) {
	for metric := range collectortest.AllMetrics(data) {
		if metric.Type() != pmetric.MetricTypeGauge {
			continue
		}
		for _, point := range metric.Gauge().DataPoints().All() {
			ids = appendMarked(ids, [8]byte(binary.LittleEndian.AppendUint64(nil, uint64(point.IntValue()))))
		}
	}
	return ids
}

func recordIDs(data plog.Logs) (ids []int) {
	for record := range collectortest.Records(data) {
		ids = appendMarked(ids, record.SpanID())
		// What came from a log file.
		if _, number, found := strings.Cut(record.Body().AsString(), lineMark); found {
			if id, err := strconv.Atoi(number); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// lineMark comes before the id in a line of a log file.
const lineMark = "chaos item "

func appendMarked(ids []int, id [8]byte) []int {
	if bytes.HasPrefix(id[:], mark) {
		ids = append(ids, int(binary.BigEndian.Uint32(id[len(mark):])))
	}
	return ids
}
