// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// A batch from a clock that is ahead does not keep later points off the page.
func TestPointsOfTheFuture(t *testing.T) {
	day := pcommon.Timestamp(24 * time.Hour)
	for name, ahead := range map[string]func(now pcommon.Timestamp) (start, at pcommon.Timestamp){
		"start is right":  func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now - 1000, now + day },
		"start is ahead":  func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now + day - 1000, now + day },
		"start is at":     func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now + day, now + day },
		"start not known": func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return 0, now + day },
		"largest time":    func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now - 1000, math.MaxUint64 },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, nil)
			send := func(value int64, start, timestamp pcommon.Timestamp) {
				t.Helper()
				s.consume(t, metrics(func(all pmetric.MetricSlice) {
					fromFile(t, "timed.json", "VALUE", fmt.Sprint(value), "START", fmt.Sprint(uint64(start)), "TIME", fmt.Sprint(uint64(timestamp))).CopyTo(all)
				}))
				time.Sleep(time.Millisecond) // after the time of arrival
			}
			now := func() pcommon.Timestamp { return pcommon.NewTimestampFromTime(time.Now()) }
			last := now()
			time.Sleep(time.Millisecond)
			honest := func(value int64) {
				t.Helper()
				at := now()
				send(value, last, at)
				last = at
			}
			assertShown := func(latest, total int) {
				t.Helper()
				var got []string
				for _, line := range s.lines(t, "timed") {
					name, _, _ := strings.Cut(line, "{")
					if _, value, ok := strings.Cut(line, "} "); ok && !strings.HasSuffix(name, "_bucket") && !strings.HasSuffix(name, "_sum") {
						got = append(got, name+" "+value)
					}
				}
				assert.ElementsMatch(t, []string{
					fmt.Sprint("timed_gauge ", latest), fmt.Sprint("timed_cumulative_total ", latest), fmt.Sprint("timed_histogram_count ", latest),
					fmt.Sprint("timed_exponential_count ", latest), fmt.Sprint("timed_summary_count ", latest),
					fmt.Sprint("timed_delta_total ", total), fmt.Sprint("timed_delta_histogram_count ", total), fmt.Sprint("timed_delta_exponential_count ", total),
				}, got)
			}
			honest(1)
			assertShown(1, 1)
			start, at := ahead(now())
			send(9, start, at)
			assertShown(9, 10)
			last = now() // the sender's next point covers the time after it
			time.Sleep(time.Millisecond)
			total := 1 + 9
			for value := 2; value < 7; value++ {
				honest(int64(value))
				total += value
				assertShown(value, total)
			}
		})
	}
}
