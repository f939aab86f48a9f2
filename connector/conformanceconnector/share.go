package conformanceconnector

import (
	"sync"

	"go.opentelemetry.io/collector/connector"
)

// hubs are the hubs in use. All instances of one component have one Config, and no
// others have it, not even those of another collector in the process.
var (
	hubsMu sync.Mutex
	hubs   = map[*Config]*sharedHub{}
)

type sharedHub struct {
	*hub
	users  int
	looked [inputs]bool
}

// share returns the hub of a component, and whether the caller is the first that
// consumes a signal.
func share(set connector.Settings, cfg *Config, in input) (h *hub, first bool, err error) {
	hubsMu.Lock()
	defer hubsMu.Unlock()
	shared := hubs[cfg]
	if shared == nil {
		hub, err := newHub(set, cfg)
		if err != nil {
			return nil, false, err
		}
		shared = &sharedHub{hub: hub}
		hubs[cfg] = shared
	}
	shared.users++
	first = !shared.looked[in]
	shared.looked[in] = true
	return shared.hub, first, nil
}

// release forgets the hub of a component when nobody uses it.
func release(cfg *Config) {
	hubsMu.Lock()
	defer hubsMu.Unlock()
	if shared := hubs[cfg]; shared != nil {
		if shared.users--; shared.users == 0 {
			delete(hubs, cfg)
		}
	}
}
