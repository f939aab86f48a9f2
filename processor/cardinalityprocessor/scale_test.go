// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// octaves has the counts of an exponential histogram by power of two.
type octaves struct {
	zeros, count       uint64
	positive, negative map[int]uint64
}

// octavesOf adds up the points of a histogram.
func octavesOf(h pmetric.ExponentialHistogram) octaves {
	all := octaves{positive: map[int]uint64{}, negative: map[int]uint64{}}
	for _, dp := range h.DataPoints().All() {
		all.zeros += dp.ZeroCount()
		all.count += dp.Count()
		for side, to := range map[pmetric.ExponentialHistogramDataPointBuckets]map[int]uint64{dp.Positive(): all.positive, dp.Negative(): all.negative} {
			for i, count := range side.BucketCounts().All() {
				if count > 0 {
					to[(int(side.Offset())+i)>>dp.Scale()] += count
				}
			}
		}
	}
	return all
}

// scaleStream is a stream of exponential histograms whose scale falls from 3 to 0.
type scaleStream struct {
	*rand.Rand
	attrs string
	// At scale 3, by index: since the start, or since the last point of a delta.
	positive, negative map[int]uint64
}

func newScaleStream(r *rand.Rand, attrs string) *scaleStream {
	return &scaleStream{r, attrs, map[int]uint64{}, map[int]uint64{}}
}

// observe adds observations at odd and even indexes on both sides of 1.
func (s *scaleStream) observe() {
	for _, side := range []map[int]uint64{s.positive, s.negative} {
		for range s.IntN(30) {
			side[s.IntN(61)-30]++
		}
	}
}

func (s *scaleStream) write(r *rig, dp pmetric.ExponentialHistogramDataPoint, scale int32, start, at float64) {
	r.common(dp, pt{attrs: s.attrs, start: start, time: at, value: 0})
	dp.SetScale(scale)
	dp.SetZeroCount(1)
	total := uint64(1)
	for side, to := range map[*map[int]uint64]pmetric.ExponentialHistogramDataPointBuckets{&s.positive: dp.Positive(), &s.negative: dp.Negative()} {
		// The offset is odd at both scales, 3 and 0.
		offset := -33 >> (3 - scale)
		counts := make([]uint64, 70)
		for i, count := range *side {
			counts[i>>(3-scale)-offset] += count
			total += count
		}
		to.SetOffset(int32(offset))
		to.BucketCounts().FromRaw(counts)
	}
	dp.SetCount(total)
}

// TestScaleChange checks that a sender that reduces the scale from 3 to 0, as SDKs do when
// values spread, loses no count of any power of two. It sends deltas or cumulative points.
func TestScaleChange(t *testing.T) {
	for _, temporality := range []pmetric.AggregationTemporality{pmetric.AggregationTemporalityDelta, pmetric.AggregationTemporalityCumulative} {
		for seed := range uint64(200) {
			r := newRig(t, nil)
			random := rand.New(rand.NewPCG(seed, 3))
			streams := []*scaleStream{newScaleStream(random, "id=1"), newScaleStream(random, "id=2")}
			delta := temporality == pmetric.AggregationTemporalityDelta
			for round := range 6 {
				md, m := emptyMetric("s", "m")
				m.SetEmptyExponentialHistogram().SetAggregationTemporality(temporality)
				start := 1.0
				if delta {
					start += float64(10 * round)
				}
				for _, s := range streams {
					if delta {
						clear(s.positive)
						clear(s.negative)
					}
					s.observe()
					scale := int32(3)
					if round >= random.IntN(6) {
						scale = 0
					}
					s.write(r, m.ExponentialHistogram().DataPoints().AppendEmpty(), scale, start, float64(11+10*round))
				}
				sent := octavesOf(m.ExponentialHistogram())
				out := r.process(md)
				require.Equal(t, 1, out.DataPointCount(), seed)
				got := octavesOf(out.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).ExponentialHistogram())
				require.Equal(t, sent, got, "seed %d, %s, round %d", seed, temporality, round)
			}
		}
	}
}
