// SPDX-License-Identifier: Apache-2.0

// Package lookup resolves a name repeatedly.
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

// Lookup keeps a list of endpoints equal to the addresses of a name.
type Lookup struct {
	Hostname          string
	Interval, Timeout time.Duration
	Port              int
	Update            func(endpoints []string) error
	Failed            func(error) // called for each failed look-up and update
	Logger            *zap.Logger
	Ask               func(ctx context.Context, network, host string) ([]netip.Addr, error) // net.Resolver.LookupNetIP

	last    []string // the endpoints of the last update
	failing bool
}

// Start looks the name up, and again after each interval until it is stopped. A missing name is no error, because
// gateways may start later. No function is being called when stop returns.
func (l *Lookup) Start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	l.once(ctx)
	var running sync.WaitGroup
	running.Go(func() { periodic.Run(ctx, l.Interval, func(time.Time) { l.once(ctx) }) })
	return func() {
		cancel()
		running.Wait()
	}
}

var errNoAddress = errors.New("the name has no address")

// once keeps the list if there is no address, because the gateways may still accept data.
func (l *Lookup) once(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	addresses, err := l.Ask(limited, "ip", l.Hostname)
	if ctx.Err() != nil {
		return // stopped
	}
	endpoints := l.endpoints(addresses)
	switch {
	case err != nil:
	case len(endpoints) == 0:
		err = errNoAddress
	case !slices.Equal(endpoints, l.last):
		if err = l.Update(endpoints); err == nil {
			l.Logger.Info("The endpoints have changed", zap.Strings("endpoints", endpoints))
			l.last = endpoints
		}
	}
	if err != nil {
		l.Failed(err)
		if !l.failing {
			l.Logger.Warn("Look-up of the endpoints failed, the known endpoints stay in use", zap.String("hostname", l.Hostname), zap.Error(err))
		}
	}
	l.failing = err != nil
}

func (l *Lookup) endpoints(addresses []netip.Addr) []string {
	var all []string
	for _, address := range addresses {
		all = append(all, net.JoinHostPort(address.Unmap().String(), strconv.Itoa(l.Port)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
