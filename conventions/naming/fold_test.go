// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// firstOf admits the first names of each component, and the first components.
func firstOf(names, components int) Admit {
	all := map[string]map[string]bool{}
	return func(component, operation string) (admitted, known bool) {
		operations, known := all[component]
		switch {
		case operations[operation]:
			return true, true
		case len(operations) >= names || !known && len(all) >= components:
			return false, known
		case !known:
			operations = map[string]bool{}
			all[component] = operations
		}
		operations[operation] = true
		return true, true
	}
}

func TestFold(t *testing.T) {
	n := newNamer(t, Options{})
	admit := firstOf(3, 4)
	fold := func(name string) string {
		d := unowned.span(n, "", name)
		d.Fold(admit)
		return d.Name
	}
	for range 2 {
		assert.Equal(t, "A/One", fold("A/One"))
		assert.Equal(t, "A/Two", fold("A/Two"))
		assert.Equal(t, "A/Three", fold("a.three"))
		assert.Equal(t, "A/Other", fold("A/Four"))
		assert.Equal(t, "A/Other", fold("A/Other"))
		assert.Equal(t, "B/One", fold("B/One"))
		for _, route := range []string{"GET /a", "GET /b", "POST /a"} {
			assert.Equal(t, route, fold(route))
		}
		assert.Equal(t, "PUT", fold("PUT /d"))
		assert.Equal(t, "GET", fold("GET"))
		assert.Equal(t, "C/Other", fold("C/Other"), "a name like another")
		assert.Equal(t, "Other/Other", fold("OneTooMany/X"))
		assert.Equal(t, "Other/Other", fold("OneTooMany/Other"))
		assert.Equal(t, "Other/Other", fold("Other/Other"))
	}
}
