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

// Lookup keeps the list of endpoints equal to the addresses of a name.
type Lookup struct {
	Hostname          string
	Port              int
	Interval, Timeout time.Duration
	Ask               func(ctx context.Context, network, host string) ([]netip.Addr, error)
	Update            func(names []string) error
	Failed            func(error) // called for each failed look-up
	Logger            *zap.Logger

	last    []string // the addresses of the last update
	failing bool
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Start looks the name up once, and then repeatedly until Stop. A missing name is no error, because
// gateways may start later.
func (l *Lookup) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	l.once(ctx)
	l.running.Go(func() { periodic.Run(ctx, l.Interval, func(time.Time) { l.once(ctx) }) })
}

// Stop stops the look-ups.
func (l *Lookup) Stop() {
	if l.cancel != nil {
		l.cancel()
		l.running.Wait()
	}
}

// once looks the name up. It keeps the list if there is no address, because the gateways may still accept
// data.
func (l *Lookup) once(ctx context.Context) {
	names, err := l.names(ctx)
	if err == nil && !slices.Equal(names, l.last) {
		if err = l.Update(names); err == nil {
			l.Logger.Info("The endpoints have changed", zap.Strings("endpoints", names))
			l.last = names
		}
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		l.Failed(err)
		if !l.failing {
			l.Logger.Warn("Look-up of the endpoints failed, the known endpoints stay in use", zap.String("hostname", l.Hostname), zap.Error(err))
		}
	}
	l.failing = err != nil
}

var errNoAddress = errors.New("the name has no address")

func (l *Lookup) names(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	addresses, err := l.Ask(ctx, "ip", l.Hostname)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, address := range addresses {
		names = append(names, net.JoinHostPort(address.Unmap().String(), strconv.Itoa(l.Port)))
	}
	if len(names) == 0 {
		return nil, errNoAddress
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
