package cardinalityprocessor

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// wireRequest is a request of as many points as one has, whose times can be set. So many
// of them differ in nothing but their id.
func wireRequestOf(b testing.TB, merge int) (request []byte, times []int) {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "store-daemon")
	rm.Resource().Attributes().PutStr("service.namespace", "tensorcast")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("replica.registrations")
	m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	m.Sum().SetIsMonotonic(true)
	const anyTime = pcommon.Timestamp(0x1122334455667788)
	for i := range perRequest {
		dp := m.Sum().DataPoints().AppendEmpty()
		dp.Attributes().PutStr("component", "StoreDaemon")
		dp.Attributes().PutStr("operation", "materialize")
		dp.Attributes().PutInt("shard", int64(i/merge))
		dp.Attributes().PutStr("peer", "node-7.serving.svc")
		dp.Attributes().PutStr("id", "artifact-"+strconv.Itoa(i))
		dp.SetIntValue(int64(i))
		dp.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		dp.SetTimestamp(anyTime)
	}
	request = encoded(b, md)
	mark := binary.LittleEndian.AppendUint64(nil, uint64(anyTime))
	for i := 0; ; i += 8 {
		at := bytes.Index(request[i:], mark)
		if at < 0 {
			return request, times
		}
		i += at
		times = append(times, i)
	}
}

// BenchmarkWire is from the bytes of a request to what goes out, decoded whole and with
// the points folded before.
func BenchmarkWire(b *testing.B) {
	settings := map[string]func(*Config){
		"four to one": nil, "nothing to drop": func(cfg *Config) { cfg.DropAttributes = []string{"other"} },
	}
	for name, change := range settings {
		for _, onWire := range []bool{false, true} {
			b.Run(name+map[bool]string{false: "/decoded", true: "/wire"}[onWire], func(b *testing.B) {
				c := newChain(b, change, onWire)
				c.quiet = func(pmetric.Metrics) error { return nil }
				request, times := wireRequestOf(b, 4)
				now := time.Now()
				round := func() {
					now = now.Add(time.Millisecond)
					for _, at := range times {
						binary.LittleEndian.PutUint64(request[at:], uint64(now.UnixNano()))
					}
					require.NoError(b, c.send(request))
				}
				for range 10 {
					round()
				}
				b.ReportAllocs()
				for b.Loop() {
					round()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perRequest, "ns/point")
			})
		}
	}
}
