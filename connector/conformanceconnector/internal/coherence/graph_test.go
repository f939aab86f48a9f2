// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func of(c *componentCount) *Operation { return &Operation{Component: Component{count: c}} }

// A waiting trace may refer to a component that is forgotten meanwhile.
func TestForgottenComponentsAreNotCounted(t *testing.T) {
	g := newGraph()
	a, b := g.component("", "A"), g.component("", "B")
	spans := []Span{{Of: of(a)}, {Of: of(b)}}
	spans[1].Parent[0] = 1
	g.forget(time.Now().Add(time.Minute))
	assert.EqualValues(t, 2, g.add(spans, []int{noParent, 0}, time.Now()))
	components, edges := g.report()
	assert.Empty(t, components)
	assert.Empty(t, edges)
}

func TestEdgesAreBounded(t *testing.T) {
	g := newGraph()
	const some = 40 // their edges exceed the limit
	var unknown int64
	for from := range some {
		for to := range some {
			spans := []Span{
				{Of: of(g.component("", strconv.Itoa(from)))},
				{Of: of(g.component("", strconv.Itoa(to)))},
			}
			spans[1].Parent[0] = 1
			unknown += g.add(spans, []int{noParent, 0}, time.Now())
		}
	}
	_, edges := g.report()
	assert.Len(t, edges, maxEdges)
	assert.EqualValues(t, some*(some-1)-maxEdges, unknown)
}
