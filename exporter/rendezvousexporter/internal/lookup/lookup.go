// SPDX-License-Identifier: Apache-2.0

// Package lookup resolves names repeatedly, and each name once for all exporters of a process.
package lookup

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
)

// Process shares the look-ups of all exporters of the process. Each signal of an exporter is an exporter of its own.
var Process = &Group{Ask: func(ctx context.Context, network, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, network, host)
}}

// Name is a name and how it is looked up. Members with equal Names share their look-ups.
type Name struct {
	Hostname          string
	Interval, Timeout time.Duration
}

// Member keeps a list of endpoints equal to the addresses of a name.
type Member struct {
	Port   int
	Update func(endpoints []string) error
	Failed func(error) // called for each failed look-up and update
	Logger *zap.Logger

	last    []string // the endpoints of the last update
	failing bool
}

// Group shares look-ups. Its methods are safe for concurrent use.
type Group struct {
	Ask func(ctx context.Context, network, host string) ([]netip.Addr, error)

	mu      sync.Mutex
	lookups map[Name]*lookup // guarded by mu
}

// lookup is a name that is looked up until it has no members.
type lookup struct {
	name    Name
	ask     func(ctx context.Context, network, host string) ([]netip.Addr, error)
	cancel  context.CancelFunc
	running sync.WaitGroup
	first   chan struct{} // closed after the first look-up

	mu        sync.Mutex
	members   []*Member    // guarded by mu
	addresses []netip.Addr // of the last look-up; guarded by mu
	err       error        // of the last look-up; guarded by mu
}

// Join looks the name up, unless other members do, and informs the member about the result and each later one until
// it leaves. A missing name is no error, because gateways may start later. No call to the member is in progress when
// leave returns.
func (g *Group) Join(name Name, m *Member) (leave func()) {
	g.mu.Lock()
	l, ok := g.lookups[name]
	if !ok {
		l = g.start(name)
	}
	l.mu.Lock()
	l.members = append(l.members, m)
	l.mu.Unlock()
	g.mu.Unlock()

	<-l.first
	l.mu.Lock()
	defer l.mu.Unlock()
	m.observe(name.Hostname, l.addresses, l.err)
	return func() { g.leave(l, m) }
}

// start begins to look a name up. g.mu must be held.
func (g *Group) start(name Name) *lookup {
	ctx, cancel := context.WithCancel(context.Background())
	l := &lookup{name: name, ask: g.Ask, cancel: cancel, first: make(chan struct{})}
	if g.lookups == nil {
		g.lookups = map[Name]*lookup{}
	}
	g.lookups[name] = l
	l.running.Go(func() {
		l.once(ctx)
		close(l.first)
		periodic.Run(ctx, name.Interval, func(time.Time) { l.once(ctx) })
	})
	return l
}

func (g *Group) leave(l *lookup, m *Member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.mu.Lock()
	l.members = slices.DeleteFunc(l.members, func(other *Member) bool { return other == m })
	left := len(l.members)
	l.mu.Unlock()
	if left == 0 {
		delete(g.lookups, l.name)
		l.cancel()
		l.running.Wait()
	}
}

// once looks the name up and informs the members. Those that wait for the first look-up do so themselves.
func (l *lookup) once(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, l.name.Timeout)
	defer cancel()
	addresses, err := l.ask(limited, "ip", l.name.Hostname)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addresses, l.err = addresses, err
	select {
	case <-l.first:
	default:
		return
	}
	for _, m := range l.members {
		m.observe(l.name.Hostname, addresses, err)
	}
}

var errNoAddress = errors.New("the name has no address")

// observe uses the result of a look-up. It keeps the list if there is no address, because the gateways may still accept
// data.
func (m *Member) observe(hostname string, addresses []netip.Addr, err error) {
	endpoints := m.endpoints(addresses)
	switch {
	case err != nil:
	case len(endpoints) == 0:
		err = errNoAddress
	case !slices.Equal(endpoints, m.last):
		if err = m.Update(endpoints); err == nil {
			m.Logger.Info("The endpoints have changed", zap.Strings("endpoints", endpoints))
			m.last = endpoints
		}
	}
	if err != nil {
		m.Failed(err)
		if !m.failing {
			m.Logger.Warn("Look-up of the endpoints failed, the known endpoints stay in use", zap.String("hostname", hostname), zap.Error(err))
		}
	}
	m.failing = err != nil
}

func (m *Member) endpoints(addresses []netip.Addr) []string {
	var all []string
	for _, address := range addresses {
		all = append(all, net.JoinHostPort(address.Unmap().String(), strconv.Itoa(m.Port)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
