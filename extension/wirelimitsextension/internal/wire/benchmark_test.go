// SPDX-License-Identifier: Apache-2.0

package wire

import "testing"

// The cost of the checks, and of decoding the same request with pdata.
func BenchmarkCheck(b *testing.B) {
	limits := Limits{Depth: 200, Size: 32 << 20}
	for _, s := range samples(b) {
		bench := func(name string, body []byte, f func()) {
			b.Run(s.signal.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					f()
				}
			})
		}
		bench("proto", s.proto, func() { NewProtobuf(s.signal.signal, limits).Check(s.proto) })
		bench("proto-pdata", s.proto, func() { _ = s.signal.create().UnmarshalProto(s.proto) })
		bench("json", s.json, func() { NewJSON(limits).Check(s.json) })
		bench("json-pdata", s.json, func() { _ = s.signal.create().UnmarshalJSON(s.json) })
	}
}
