// SPDX-License-Identifier: Apache-2.0

package runtimetune

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// unlimited is a limit that does not matter.
const unlimited = 1 << 40

// machine is a runtime that is simulated: what a program allocates and computes, and what collections take.
type machine struct {
	room
	now       time.Time
	usage     usage
	all       float64 // CPU seconds until now
	fill      float64 // bytes of garbage
	garbage   float64 // that the heap may have
	perMiB    float64 // CPU seconds of a collection for each MiB that lives
	perByte   float64 // CPU seconds of the program for each byte
	releases  int
	pauses    int // times that garbage changed by more than an eighth
	collected []float64
}

// newMachine has just started, and has garbage of its start.
func newMachine(live float64) *machine {
	m := &machine{room: room{heap: unlimited, garbage: 128 * mib}, now: time.Unix(0, 0), garbage: live * mib, perMiB: 0.0004, perByte: 1.2e-9}
	m.usage.live, m.usage.retained = live*mib, 4*live*mib
	return m
}

// run allocates so many MiB a second for a while, and returns which share of one core collections took, and which
// of the program's CPU time.
func (m *machine) run(mibPerSecond float64, period time.Duration) (ofCore, ofBusy float64) {
	const tick = time.Millisecond
	begin, collecting, all := m.now, m.usage.collecting, m.all
	m.pauses, m.collected = 0, nil
	for m.now.Sub(begin) < period {
		m.now = m.now.Add(tick)
		bytes := mibPerSecond * mib * tick.Seconds()
		m.usage.allocated += bytes
		m.all += bytes * m.perByte
		m.fill += bytes
		if m.fill >= m.garbage {
			m.usage.retained = max(m.usage.retained, m.usage.live+m.fill)
			m.fill = 0
			cost := m.perMiB * m.usage.live / mib * (1 + 0.3*math.Sin(float64(m.usage.collections))) // they differ
			m.usage.collections++
			m.usage.collecting += cost
			m.all += cost
			m.usage.busy = m.all
			m.collected = append(m.collected, m.garbage)
			m.look()
		}
		if m.now.UnixMilli()%1000 == 0 {
			if m.look(); m.release(m.garbage) {
				m.releases++
				m.usage.retained = m.usage.live + m.fill
			}
		}
	}
	collecting, all = m.usage.collecting-collecting, m.all-all
	return collecting / period.Seconds(), collecting / (all - collecting)
}

func (m *machine) look() {
	garbage := m.room.look(m.now, m.usage)
	if math.Abs(garbage-m.garbage) > m.garbage/8 {
		m.garbage = garbage
		m.pauses++
	}
}

// Little load takes little memory and a hundredth of a core, and full speed as much memory as keeps the share of
// collections.
func TestRoomIsWhatCollectionsCost(t *testing.T) {
	for _, c := range []struct{ live, rate, least, most float64 }{
		{20, 0.1, 6, 6},
		{20, 8, 12, 24},
		{20, 80, 80, 108},
		{20, 400, 90, 108},
		{60, 400, 68, 68},
		{100, 400, 64, 64},
		{1000, 400, 250, 250},
	} {
		t.Run(fmt.Sprint(c.live, " MiB alive, ", c.rate, " a second"), func(t *testing.T) {
			m := newMachine(c.live)
			m.run(c.rate, 20*time.Second)
			ofCore, ofBusy := m.run(c.rate, time.Minute)
			assert.InDelta(t, (c.least+c.most)/2*mib, m.garbage, (c.most-c.least)/2*mib+m.garbage/8)
			assert.LessOrEqual(t, m.pauses, 3, "it does not swing")
			if c.most < 64 {
				assert.LessOrEqual(t, ofCore, 1.2*(restShare+busyShare*ofCore/max(ofBusy, 1e-9)))
			}
		})
	}
}

// The room follows a load that begins and ends within seconds, in few steps, and without going beyond either.
func TestRoomFollowsTheLoad(t *testing.T) {
	m := newMachine(20)
	m.run(8, time.Minute)
	little := m.garbage
	assert.Equal(t, 1, m.releases, "of what the start left")
	for range 3 {
		m.run(400, 5*time.Second)
		full := m.garbage
		assert.Greater(t, full, 5*little)
		assert.LessOrEqual(t, m.pauses, 25)
		for i := 1; i < len(m.collected); i++ {
			assert.GreaterOrEqual(t, m.collected[i], 0.8*m.collected[i-1], "it grows")
		}
		m.run(400, time.Minute)
		assert.InDelta(t, full, m.garbage, full/3)
		m.run(8, time.Minute)
		assert.InDelta(t, little, m.garbage, little/3)
		m.run(0, time.Minute)
		assert.InDelta(t, leastRoom, m.garbage, leastRoom/6)
		assert.Less(t, m.usage.retained, 36.0*mib)
	}
	assert.LessOrEqual(t, m.releases, 7, "not at each step")
}

// TestRoomIsBounded checks the limits for every live heap and memory of a machine.
func TestRoomIsBounded(t *testing.T) {
	for _, memory := range []float64{64, 256, 1024, 24 * 1024, 1024 * 1024} {
		for live := 1.0; live <= 16*1024; live *= 1.5 {
			for _, rate := range []float64{0, 1, 1e12} {
				r := room{heap: memory * mib, garbage: 128 * mib, rate: rate, cost: 1, busy: 1, bytes: 1e9}
				r.at = time.Unix(0, 0)
				got := r.look(r.at, usage{live: live * mib}) / mib
				assert.LessOrEqual(t, got, max(128-live, 64, live*garbageOfLive), "%.0f MiB alive of %.0f", live, memory)
				assert.LessOrEqual(t, got, max(memory-live, live*leastOfLive), "%.0f MiB alive of %.0f", live, memory)
				assert.Positive(t, got)
			}
		}
	}
}
