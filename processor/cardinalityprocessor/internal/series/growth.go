// SPDX-License-Identifier: Apache-2.0

package series

import "go.opentelemetry.io/collector/pdata/pcommon"

// growth records whether a metric of one resource gets new series all the time. A step has the points of one time,
// since a sender may split what it has at that time into several batches. What comes with the first step is no growth.
type growth struct {
	time  pcommon.Timestamp // of the current step
	steps uint32            // that ended
	base  uint32            // the series of the first step
	since grown             // the first step
	half  grown             // what since was after half of the steps
	fresh bool              // the current step brought new series
	grows bool
}

// grown counts new series, and the steps that brought some.
type grown struct{ series, steps uint32 }

const (
	// leastGrowth is the least number of new series that is taken for growth.
	leastGrowth = 32
	// growthOfBase is the least growth in series of the first step. If each pod has a point on one page, a rollout
	// brings as many new series as the page had.
	growthOfBase = 2
	// firstCheck is the first number of steps after which growth is judged. Each next one is twice as large, up to
	// lastCheck, after which counting begins again.
	firstCheck = 4
	lastCheck  = 1 << 8
)

// add adds the points of a batch: their time, and how many of their series are new, of all that the metric has.
func (g *growth) add(time pcommon.Timestamp, fresh, series int) {
	if g.time != 0 && time != g.time {
		g.end(series - fresh)
	}
	g.time = time
	switch {
	case g.steps == 0:
		g.base = uint32(series)
	case fresh > 0:
		g.since.series += uint32(fresh)
		if !g.fresh {
			g.fresh = true
			g.since.steps++
		}
	}
}

// end ends the current step, after which the metric has a number of series.
func (g *growth) end(series int) {
	g.fresh = false
	g.steps++
	n := g.steps - 1 // without the first one
	if n < firstCheck/2 || n&(n-1) != 0 {
		return
	}
	added := grown{g.since.series - g.half.series, g.since.steps - g.half.steps}
	if n >= firstCheck {
		// Values that warm up come more and more slowly, since fewer are left. Ids do not.
		steady := 4*added.series >= 3*g.half.series && 4*added.steps >= 3*(n/2)
		g.grows = steady && (g.grows || g.since.series >= max(leastGrowth, growthOfBase*g.base))
		if 4*added.steps < n/2 || n == lastCheck {
			*g = growth{time: g.time, steps: 1, base: uint32(series), grows: g.grows}
			return
		}
	}
	g.half = g.since
}
