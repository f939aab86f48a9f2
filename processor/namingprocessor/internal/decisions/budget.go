// SPDX-License-Identifier: Apache-2.0

package decisions

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/fairshare"
)

// The limits of a spanBudget. Each service can always have maxNames/maxServices names.
const (
	// maxNames limits the names of all services together.
	maxNames = 1 << 17
	// maxOfService limits the names of one service in all its components.
	maxOfService = maxNames / 4
	// maxServices limits the number of services with a share of their own.
	maxServices = 1 << 10

	// period is how often the use of a name is recorded.
	period = 5 * time.Minute
	// periods is the number of periods after which an unused name is forgotten.
	periods = 12
)

// spanBudget limits the distinct span names of each component of each service. A name counts until it was not
// seen for an hour. A service within its share is not affected by other services. The budget stores names as
// hashes, so their length does not matter. It is safe for concurrent use.
type spanBudget struct {
	perComponent int
	seed         maphash.Seed
	began        time.Time
	now          func() time.Time

	mu         sync.Mutex
	period     uint64
	names      *fairshare.Table[uint64, uint64] // the value is the hash of the component
	components map[uint64]int                   // the number of names by component
}

// newBudget returns a budget of perComponent names for each component of a service.
func newBudget(perComponent int) *spanBudget {
	b := &spanBudget{perComponent: perComponent, seed: maphash.MakeSeed(), began: time.Now(), now: time.Now, components: map[uint64]int{}}
	b.names = fairshare.New(fairshare.Limits{Entries: maxNames, Service: maxOfService, Services: maxServices, Periods: periods}, b.forgot)
	return b
}

// forgot updates the count of a component when a name is removed. The caller holds the lock.
func (b *spanBudget) forgot(_, component uint64) {
	if b.components[component]--; b.components[component] == 0 {
		delete(b.components, component)
	}
}

// Period returns the number of the current period. An answer of Admit holds for one period: a name in use
// must be admitted again in the next one.
func (b *spanBudget) Period() uint64 { return uint64(b.now().Sub(b.began) / period) }

// Admit reports whether a service may have a name, and whether the service has any name of that component.
func (b *spanBudget) Admit(service, component, operation string) (admitted, known bool) {
	inService := maphash.Comparable(b.seed, [2]string{service, component})
	name := maphash.Comparable(b.seed, [3]string{service, component, operation})
	now := b.Period()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.period < now {
		for range min(now-b.period, periods+1) {
			b.names.Advance()
		}
		b.period = now
	}
	if _, ok := b.names.Get(service, name); ok {
		return true, true
	}
	if b.components[inService] >= b.perComponent || !b.names.Put(service, name, inService) {
		return false, b.components[inService] > 0
	}
	b.components[inService]++
	return true, true
}
