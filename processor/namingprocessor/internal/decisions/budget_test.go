// SPDX-License-Identifier: Apache-2.0

package decisions

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clock is a time that the test sets.
type clock struct{ passed atomic.Int64 }

func newTestBudget(perComponent int) (*spanBudget, *clock) {
	b, c := newBudget(perComponent), &clock{}
	b.now = func() time.Time { return b.began.Add(time.Duration(c.passed.Load())) }
	return b, c
}

func (c *clock) pass(d time.Duration) { c.passed.Add(int64(d)) }

func (b *spanBudget) admitted(service, component, operation string) bool {
	admitted, _ := b.Admit(service, component, operation)
	return admitted
}

func TestNamesOfAComponentAreBounded(t *testing.T) {
	b, _ := newTestBudget(2)
	for range 2 {
		assert.True(t, b.admitted("s", "A", "One"))
		assert.True(t, b.admitted("s", "A", "Two"))
		assert.False(t, b.admitted("s", "A", "Three"))
		assert.True(t, b.admitted("s", "B", "One"), "another component")
		assert.True(t, b.admitted("t", "A", "Three"), "another service")
	}
}

// A name counts while it is used and for an hour after.
func TestNamesExpire(t *testing.T) {
	b, clock := newTestBudget(2)
	require.True(t, b.admitted("s", "A", "Used"))
	require.True(t, b.admitted("s", "A", "Unused"))
	for range periods {
		clock.pass(period)
		assert.True(t, b.admitted("s", "A", "Used"))
		assert.False(t, b.admitted("s", "A", "New"))
	}
	clock.pass(period)
	assert.True(t, b.admitted("s", "A", "New"))
	assert.True(t, b.admitted("s", "A", "Used"))
	assert.False(t, b.admitted("s", "A", "Unused"))

	clock.pass(1000 * time.Hour)
	assert.True(t, b.admitted("t", "A", "One"))
	assert.Equal(t, 1, b.names.Len())
	assert.Len(t, b.components, 1)
}

// flood asks for many names of one service in many components, and returns how many were admitted.
func flood(b *spanBudget, service string, names int) (admitted int) {
	for i := range names {
		if b.admitted(service, fmt.Sprint("C", i/500), fmt.Sprint("Op", i)) {
			admitted++
		}
	}
	return admitted
}

// TestServicesDoNotUseEachOthersShare checks that a service within its share gets all its names before, during
// and after floods by other services. A flood has more names than fit, under one service name or
// thousands.
func TestServicesDoNotUseEachOthersShare(t *testing.T) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 7))
		b, clock := newTestBudget(1000)
		quiet := func() {
			for s := range 3 {
				for i := range maxNames / maxServices {
					service, component, operation := fmt.Sprint("quiet-", s), fmt.Sprint("C", i%4), fmt.Sprint("Op", i)
					if !b.admitted(service, component, operation) {
						t.Fatalf("seed %d: %s %s/%s was not admitted", seed, service, component, operation)
					}
				}
			}
		}
		for step := range 8 {
			switch step % 4 {
			case 0:
				for i := range 5 {
					assert.LessOrEqual(t, flood(b, fmt.Sprint("flood-", i), 40_000), maxOfService)
				}
			case 1:
				for range 2 * maxServices {
					flood(b, fmt.Sprint("many-", r.Uint32()), 4)
				}
			case 2:
				clock.pass(period * time.Duration(r.IntN(20)))
			default:
				flood(b, "flood", 2000)
			}
			quiet()
			require.LessOrEqual(t, b.names.Len(), maxNames)
			names := 0
			for _, n := range b.components {
				require.Positive(t, n)
				names += n
			}
			require.Equal(t, b.names.Len(), names, "the counts of components")
		}
	}
}

func TestConcurrently(t *testing.T) {
	b, clock := newTestBudget(100)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				b.Admit(fmt.Sprint("s", i%10), "C", fmt.Sprint(g, i))
				if i%100 == 0 {
					clock.pass(period / 4)
				}
				assert.True(t, b.admitted("quiet", "C", "Op"))
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, b.names.Len(), 10*100+1)
}
