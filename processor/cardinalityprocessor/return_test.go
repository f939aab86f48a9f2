// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSeriesThatComeAndGoCountOnce checks that values count once, whichever series come,
// stay away and return. Streams do not change while they are away, so the oracle needs no
// guess.
func TestSeriesThatComeAndGoCountOnce(t *testing.T) {
	f := func(seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			r := newRig(t, func(cfg *Config) {
				cfg.Limit, cfg.MaxStale = 1+rnd.IntN(3), 30*time.Second
				switch seed % 3 {
				case 0:
					cfg.DropAttributes = nil
				case 1:
					cfg.AttributeLimits = map[string]int{"user": 1 + rnd.IntN(4)}
				}
			})
			r.startExpiry()
			in, out := r.senders("cumulative_sum"), r.receivers("cumulative_sum")
			type stream struct {
				attrs       string
				start, sent float64
				value       int
				away        int
			}
			streams := make([]stream, 6)
			for range 100 {
				time.Sleep(time.Duration(1+rnd.IntN(8)) * time.Second)
				var points []pt
				for i := range streams {
					s := &streams[i]
					if s.away--; s.away > 0 {
						continue
					}
					if rnd.IntN(20) == 0 {
						s.away = rnd.IntN(20)
						continue
					}
					if s.start == 0 || rnd.IntN(30) == 0 { // new, or restarted
						*s = stream{attrs: fmt.Sprint("user=", i, " id=", rnd.IntN(3)), start: r.now() - 0.9}
						if rnd.IntN(2) == 0 {
							s.attrs = fmt.Sprint("user=", i)
						}
					}
					if r.now()-s.sent < 20 { // not just back
						s.value += rnd.IntN(5)
					}
					s.sent = r.now()
					points = append(points, pt{s.attrs, s.start, r.now(), s.value})
				}
				md := r.counters(points...)
				in.read(md)
				out.read(r.process(md))
				require.InDelta(t, in.total(), out.total(), 0, "seed %d", seed)
			}
		})
	}
	for seed := range uint64(300) {
		f(seed)
	}
}

// TestSeriesThatLeftInItsFirstSecond checks that a series that expires in the second it
// began in, and returns to a full metric, counts once.
func TestSeriesThatLeftInItsFirstSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 1, time.Minute })
		in, out := r.senders("cumulative_sum"), r.receivers("cumulative_sum")
		send := func(of ...pt) {
			md := r.counters(of...)
			in.read(md)
			out.read(r.process(md))
		}
		time.Sleep(10*time.Second + 900*time.Millisecond)
		send(pt{"user=1", 10.5, 10.8, 7})
		time.Sleep(2 * time.Minute)
		send(pt{"user=0", 100, 120, 1}) // another series keeps the metric
		r.expireAll()
		send(pt{"user=2", 100, 130, 1})
		time.Sleep(time.Second)
		send(pt{"user=1", 10.5, 140, 7})
		assert.InDelta(t, in.total(), out.total(), 0)
	})
}
