package naming

import "sync"

// maxNamesInAll bounds a SpanBudget over all components.
const maxNamesInAll = 1 << 16

// maxAdmitted is the longest name that is admitted, which bounds a SpanBudget in
// bytes as well.
const maxAdmitted = 256

// SpanBudget bounds the distinct span names of each component. Names are
// admitted in the order they come and stay admitted. It is safe for concurrent
// use.
type SpanBudget struct {
	perComponent int

	mu         sync.Mutex
	components map[string]map[string]struct{}
	names      int
}

// NewSpanBudget returns a budget of so many names a component.
func NewSpanBudget(perComponent int) *SpanBudget {
	return &SpanBudget{perComponent: perComponent, components: map[string]map[string]struct{}{}}
}

// Admit tells whether a component may have one more name, or has it already.
func (b *SpanBudget) Admit(component, operation string) bool {
	if len(component)+len(operation) > maxAdmitted {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	operations := b.components[component]
	if _, ok := operations[operation]; ok {
		return true
	}
	if len(operations) >= b.perComponent || b.names >= maxNamesInAll {
		return false
	}
	if operations == nil {
		operations = map[string]struct{}{}
		b.components[component] = operations
	}
	operations[operation] = struct{}{}
	b.names++
	return true
}

// Known tells whether any name of a component was admitted.
func (b *SpanBudget) Known(component string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.components[component] != nil
}
