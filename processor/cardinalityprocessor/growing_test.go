// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// requestsAt returns the requests of a step of a scenario.
type requestsAt func(step int) [][]string

// TestGrowing checks which metrics are found to get new series all the time, and the attribute that makes these. A
// request is a list of the attributes of its points, such as "of=a route=/x", where of is the resource.
func TestGrowing(t *testing.T) {
	some := rand.New(rand.NewPCG(1, 2))
	warming := []string{}
	// page returns all points up to a number, as a cumulative SDK or a scraped page does.
	page := func(points int, attrs func(i int) string) [][]string {
		var request []string
		for i := range points {
			request = append(request, attrs(i))
		}
		return [][]string{request}
	}
	ids := func(i int) string { return fmt.Sprint("model=m key=k", i%3, " hidden_params=p", i, " op=chat") }
	pods := func(of func(i int) int) func(i int) string {
		return func(i int) string { return fmt.Sprint("pod=p", of(i), " state=ready") }
	}
	for name, c := range map[string]struct {
		steps    int
		requests requestsAt
		want     string // the attribute, or empty
	}{
		"a series a call, cumulative": {60, func(step int) [][]string { return page(step+1, ids) }, "hidden_params"},
		"a series a call, delta":      {60, func(step int) [][]string { return [][]string{{ids(step)}} }, "hidden_params"},
		"five calls an export":        {12, func(step int) [][]string { return page(5*step+5, ids) }, "hidden_params"},
		"calls at random":             {40, func(step int) [][]string { return page(3*step+1+int(some.Uint32()%3), ids) }, "hidden_params"},
		"two points a call": {60, func(step int) [][]string {
			return page(2*step+2, func(i int) string { return fmt.Sprint("type=t", i%2, " id=", i/2) })
		}, "id"},
		"beside many series that stay": {100, func(step int) [][]string {
			return page(40+2*step, func(i int) string {
				if i < 40 {
					return fmt.Sprint("route=/", i)
				}
				return fmt.Sprint("route=/x user=u", i)
			})
		}, "user"},
		"a page with many series": {30, func(int) [][]string { return page(1500, ids) }, ""},
		"a page in many requests": {30, func(int) (all [][]string) {
			for part := range 15 {
				all = append(all, page(100, func(i int) string { return ids(100*part + i) })...)
			}
			return all
		}, ""},
		"a page that comes once": {1, func(int) [][]string { return page(300, ids) }, ""},
		"a rollout with new resources": {60, func(step int) [][]string {
			return page(20*30, func(i int) string { return fmt.Sprint("of=pod", step/2+i%20, " route=/", i/20) })
		}, ""},
		"a rollout on one page": {100, func(step int) [][]string {
			return page(100, pods(func(i int) int { return step + i }))
		}, ""},
		"a rollout in steps": {60, func(step int) [][]string {
			return page(60, pods(func(i int) int { return step/10*20 + i }))
		}, ""},
		"values that warm up": {60, func(int) [][]string {
			for range 10 {
				if value := fmt.Sprint("table=t", some.Uint32()%60); !slices.Contains(warming, value) {
					warming = append(warming, value)
				}
			}
			return [][]string{warming}
		}, ""},
		"removed ids": {60, func(step int) [][]string {
			return page(step+1, func(i int) string { return fmt.Sprint("id=", i) })
		}, ""},
		"few new series": {60, func(step int) [][]string { return page(1+step/3, ids) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newTestProcessor(t, func(cfg *Config) {
					if name != "removed ids" {
						cfg.DropAttributes = nil
					}
				})
				for step := range c.steps {
					time.Sleep(time.Second)
					now := pcommon.NewTimestampFromTime(time.Now())
					for _, request := range c.requests(step) {
						_, err := p.process(t.Context(), gaugesOf(now, request))
						require.NoError(t, err)
					}
				}
				got := ""
				for _, m := range p.explain.Costs(time.Second) {
					if a := m.Exploding(); m.Growing && a != nil {
						got = a.Key
						assert.NotEmpty(t, a.Fixes)
						assert.GreaterOrEqual(t, 4*a.Values, m.In.Series)
					}
				}
				assert.Equal(t, c.want, got)
			})
		})
	}
}

// gaugesOf returns a request of one metric with a point for each text, such as "of=a route=/x".
func gaugesOf(now pcommon.Timestamp, texts []string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	metrics := map[string]pmetric.Metric{}
	for _, text := range texts {
		attrs := pcommon.NewMap()
		putAttributes(attrs, text)
		resource := ""
		if of, ok := attrs.Get("of"); ok {
			resource = of.Str()
		}
		m, ok := metrics[resource]
		if !ok {
			rm := md.ResourceMetrics().AppendEmpty()
			rm.Resource().Attributes().PutStr("service.name", "shop")
			rm.Resource().Attributes().PutStr("of", resource)
			m = rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
			m.SetName("calls")
			m.SetEmptyGauge()
			metrics[resource] = m
		}
		dp := m.Gauge().DataPoints().AppendEmpty()
		attrs.CopyTo(dp.Attributes())
		dp.Attributes().Remove("of")
		dp.SetTimestamp(now)
		dp.SetIntValue(1)
	}
	return md
}

// TestWarningNamesAttribute checks that the warning at 80 % of a limit names the attribute that makes the series, in
// whatever order they come.
func TestWarningNamesAttribute(t *testing.T) {
	const series = 1650
	some := rand.New(rand.NewPCG(3, 4))
	mixed := some.Perm(series)
	for name, order := range map[string]func(i int) int{
		"in order": func(i int) int { return i },
		"reversed": func(i int) int { return series - 1 - i },
		"mixed":    func(i int) int { return mixed[i] },
		// All routes of one alias come before those of the next.
		"by alias": func(i int) int { return i%(series/3)*3 + i/(series/3) },
	} {
		for _, perRequest := range []int{1, 100, series} {
			t.Run(name+"/"+strconv.Itoa(perRequest), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r, logs := observedRig(t, nil)
					for from := 0; from < series; from += perRequest {
						var request []string
						for i := from; i < min(from+perRequest, series); i++ {
							n := order(i)
							request = append(request, fmt.Sprint("api_key_alias=a", n%3, " code=200 route=/r", n, " user=u", n/10))
						}
						_, err := r.p.process(t.Context(), gaugesOf(1, request))
						require.NoError(t, err)
					}
					require.NotZero(t, logs.Len())
					assert.Equal(t, "route", logs.All()[0].ContextMap()["attribute"])
				})
			})
		}
	}
}
