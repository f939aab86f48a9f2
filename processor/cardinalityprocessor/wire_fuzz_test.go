package cardinalityprocessor

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// wireEpoch is when synctest begins: points of before and after the processors' start.
var wireEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// FuzzWire: whatever two requests say, sent in turns and refused now and then, the way
// over the wire changes nothing. What cannot be decoded is refused on both ways.
func FuzzWire(f *testing.F) {
	for _, name := range scenario.Names() {
		generator, err := scenario.New(name, 1, wireEpoch)
		require.NoError(f, err)
		first, second := generator.Next(wireEpoch.Add(10*time.Second)).Metrics, generator.Next(wireEpoch.Add(20*time.Second)).Metrics
		f.Add(byte(11), byte(4), encoded(f, first), encoded(f, second))
	}
	for i := range uint64(3 * len(wireSettings)) {
		r := rand.New(rand.NewPCG(i, 3))
		h := newHistory(r, kindsOfMetrics[i%5], wireEpoch)
		first, second := h.request(h.step()), h.request(h.step())
		odder(r, second)
		f.Add(byte(i), byte(r.Uint32()), encoded(f, first), encoded(f, second))
	}
	f.Fuzz(func(t *testing.T, which, refused byte, first, second []byte) {
		valid := true
		for _, request := range [][]byte{first, second} {
			_, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
			valid = valid && err == nil
		}
		synctest.Test(t, func(t *testing.T) {
			plain, wired := twins(t, wireSettings[int(which)%len(wireSettings)])
			for i, request := range [][]byte{first, first, second, first, second, second} {
				if !valid { // what was folded of it still counts, so the two may differ
					require.Equal(t, plain.send(request) != nil, wired.send(request) != nil)
					continue
				}
				refuse := refused>>i&1 == 1
				plain.refuse, wired.refuse = refuse, refuse
				same(t, plain, wired, request)
				time.Sleep(time.Second)
			}
		})
	})
}
