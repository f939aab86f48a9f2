// Package budget bounds the distinct span names of each service.
package budget

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/fairshare"
)

// The bounds of a Budget. Each service is sure of maxNames/maxServices names.
const (
	// maxNames bounds the names of all services together.
	maxNames = 1 << 17
	// maxOfService bounds the names of one service over all components.
	maxOfService = maxNames / 4
	// maxServices bounds the services that are told apart.
	maxServices = 1 << 10

	// period is how often names are looked at anew.
	period = 5 * time.Minute
	// periods is for how many of these a name counts that is not seen.
	periods = 12
)

// Budget bounds the distinct span names of each component of each service. A name
// counts until it was not seen for an hour. What other services send makes no
// difference to a service that keeps within its share. Names are held as hashes, so
// that their length does not matter. Budget is safe for concurrent use.
type Budget struct {
	perComponent int
	seed         maphash.Seed
	began        time.Time
	now          func() time.Time

	mu         sync.Mutex
	period     uint64
	names      *fairshare.Table[uint64, uint64] // to the component
	components map[uint64]int                   // the number of names
}

// New returns a budget of so many names of one component of one service.
func New(perComponent int) *Budget {
	b := &Budget{perComponent: perComponent, seed: maphash.MakeSeed(), began: time.Now(), now: time.Now, components: map[uint64]int{}}
	b.names = fairshare.New(fairshare.Limits{Entries: maxNames, Service: maxOfService, Services: maxServices, Periods: periods}, b.forgot)
	return b
}

// forgot counts a name that is no longer held. Called with the lock held.
func (b *Budget) forgot(_, component uint64) {
	if b.components[component]--; b.components[component] == 0 {
		delete(b.components, component)
	}
}

// Period numbers the periods. An answer of Admit holds for one period: a name that is
// in use has to be admitted again in the next one.
func (b *Budget) Period() uint64 { return uint64(b.now().Sub(b.began) / period) }

// Admit reports whether a service may have a name, and whether it has any name of that
// component.
func (b *Budget) Admit(service, component, operation string) (admitted, known bool) {
	of := maphash.Comparable(b.seed, [2]string{service, component})
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
	if b.components[of] >= b.perComponent || !b.names.Put(service, name, of) {
		return false, b.components[of] > 0
	}
	b.components[of]++
	return true, true
}
