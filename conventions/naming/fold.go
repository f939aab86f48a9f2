// SPDX-License-Identifier: Apache-2.0

package naming

import "strings"

// otherOperation replaces the operations above a component's limit.
const otherOperation = "Other"

// The components under which the names of semantic conventions count. No real component has a
// space.
const (
	routeComponent = "HTTP routes"       // and other names of words: an operation and its target
	wordComponent  = "names of one word" // without a component
)

// Admit reports whether a service may have a span name, and whether it has any name of that
// component.
type Admit func(component, operation string) (admitted, known bool)

// Fold applies the limits of a service's span names to a decision. A name above the limit
// becomes <Component>/Other. If the component itself is above the limit, it becomes
// Other/Other. A name of words is reduced to the first, which is an HTTP name's method. Names that
// are kept have no limit.
func (d *Decision) Fold(admit Admit) {
	if d.Keeps {
		return
	}
	if first, _, ok := strings.Cut(d.Name, " "); ok {
		if admitted, _ := admit(routeComponent, d.Name); !admitted {
			d.Name, d.Rule = first, SpanFold
		}
		return
	}
	component, operation, ok := strings.Cut(d.Name, "/")
	if !ok {
		if !d.Asks.Convention {
			return // the method of an HTTP name
		}
		component, operation = wordComponent, d.Name
	}
	if component == otherOperation && operation == otherOperation {
		return
	}
	admitted, known := admit(component, operation)
	switch {
	case admitted:
	case !known || !ok:
		d.Name, d.Rule = otherOperation+"/"+otherOperation, SpanFold
	case operation != otherOperation:
		d.Name, d.Rule = component+"/"+otherOperation, SpanFold
	}
}
