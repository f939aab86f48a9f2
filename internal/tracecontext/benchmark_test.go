// SPDX-License-Identifier: Apache-2.0

package tracecontext

import "testing"

// BenchmarkScan looks for ids in lines of ordinary length.
func BenchmarkScan(b *testing.B) {
	keys := NewKeys(nil, false)
	for _, line := range []struct{ name, text string }{
		{"key=value", "2026-11-21T10:00:00.000000000+08:00 I tid=4100 store_daemon_service.cc:412 trace_id=" + traceA +
			" span_id=" + spanA + " MaterializeReplicaV2 artifact=a-1 device=0"},
		{"brackets", "2026-11-21 10:00:00.000  INFO [orders," + traceA + "," + spanA + "] 1 --- [nio-8080-exec-1] o.s.Web : served"},
		{"words", "2026-11-21 13:23:43.123 ERROR http: server=10.0.0.3 user=alice attempt_nr=3 resp: 503, retry in 13:33 by worker: 7"},
		{"none", "GET request for the catalogue of recent orders completed with status 200 after 35 ms, 12 rows read from cache"},
		{"JSON", `{"time": "2026-11-21T10:00:00Z", "level": "info", "trace_id": "` + traceA + `", "span_id": "` + spanA +
			`", "message": "order 4711 was accepted and sent to the warehouse", "user": 42}`},
	} {
		b.Run(line.name, func(b *testing.B) {
			var e Evidence
			b.ReportAllocs()
			for b.Loop() {
				e.Reset()
				if !keys.JSON(line.text, &e) {
					keys.Scan(line.text, &e)
				}
			}
		})
	}
}
