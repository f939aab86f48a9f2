package rendezvousexporter

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
)

// lookup keeps a list of endpoints equal to the addresses of a name.
type lookup struct {
	cfg    DNS
	ask    func(ctx context.Context, network, host string) ([]netip.Addr, error)
	update func(names []string) error
	failed func() // counts a look-up that failed
	logger *zap.Logger

	last    []string // what update has taken
	failing bool
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// start looks the name up once, and then goes on until stop. A name that is not there yet
// is no error: gateways may come later.
func (l *lookup) start() {
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	l.once(ctx)
	l.running.Go(func() {
		tick := time.NewTicker(l.cfg.Interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.once(ctx)
			}
		}
	})
}

func (l *lookup) stop() {
	if l.cancel != nil {
		l.cancel()
		l.running.Wait()
	}
}

// once leaves the list as it is when the answer is none: gateways that nobody names any
// more still take data.
func (l *lookup) once(ctx context.Context) {
	names, err := l.names(ctx)
	if err == nil && !slices.Equal(names, l.last) {
		if err = l.update(names); err == nil {
			l.logger.Info("Endpoints are known", zap.Strings("endpoints", names))
			l.last = names
		}
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		l.failed()
		if !l.failing {
			l.logger.Warn("Endpoints are not found, those known so far stay", zap.String("hostname", l.cfg.Hostname), zap.Error(err))
		}
	}
	l.failing = err != nil
}

var errNoAddress = errors.New("the name has no address")

func (l *lookup) names(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Timeout)
	defer cancel()
	addresses, err := l.ask(ctx, "ip", l.cfg.Hostname)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, address := range addresses {
		names = append(names, net.JoinHostPort(address.Unmap().String(), strconv.Itoa(l.cfg.Port)))
	}
	if len(names) == 0 {
		return nil, errNoAddress
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
