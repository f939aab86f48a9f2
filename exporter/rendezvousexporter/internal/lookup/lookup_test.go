package lookup

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// resolver returns the answers that a test sets.
type resolver struct {
	hangs    bool
	lists    [][]string // the lists passed to update
	failures int

	mu        sync.Mutex
	addresses []string // guarded by mu
	err       error    // guarded by mu
}

func (r *resolver) set(err error, addresses ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addresses, r.err = addresses, err
}

func (r *resolver) ask(ctx context.Context, network, host string) (all []netip.Addr, err error) {
	if network != "ip" || host != "gateway.monitoring" {
		return nil, errors.New("unexpected network or host")
	}
	if r.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, address := range r.addresses {
		all = append(all, netip.MustParseAddr(address))
	}
	return all, r.err
}

func (r *resolver) lookup(logger *zap.Logger) *Lookup {
	return &Lookup{
		Hostname: "gateway.monitoring", Port: 4317, Interval: 30 * time.Second, Timeout: 5 * time.Second,
		Ask: r.ask, Logger: logger,
		Update: func(names []string) error { r.lists = append(r.lists, names); return nil },
		Failed: func(error) { r.failures++ },
	}
}

func TestLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, messages := observer.New(zap.WarnLevel)
		r := &resolver{err: errors.New("no such host")}
		l := r.lookup(zap.New(core))
		f := func(wantLists, wantFailures int) {
			t.Helper()
			time.Sleep(l.Interval)
			synctest.Wait()
			assert.Len(t, r.lists, wantLists)
			assert.Equal(t, wantFailures, r.failures)
		}
		l.Start()
		time.Sleep(l.Interval / 2) // so that answers change between look-ups
		synctest.Wait()
		assert.Equal(t, 1, r.failures)

		r.set(nil, "10.0.0.2", "::ffff:10.0.0.1", "fd00::1", "10.0.0.2")
		f(1, 1)
		assert.Equal(t, []string{"10.0.0.1:4317", "10.0.0.2:4317", "[fd00::1]:4317"}, r.lists[0])
		r.set(nil, "fd00::1", "10.0.0.1", "10.0.0.2")
		f(1, 1) // the same addresses in another order

		r.set(nil)
		f(1, 2)
		r.set(errors.New("server failure"))
		f(1, 3)
		assert.Equal(t, 2, messages.Len(), "one message each time that look-ups begin to fail")
		r.set(nil, "10.0.0.3")
		f(2, 3)
		assert.Equal(t, []string{"10.0.0.3:4317"}, r.lists[1])
		l.Stop()
	})
}

// A DNS server that does not answer delays neither start nor stop for long.
func TestLookupThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &resolver{hangs: true}
		l := r.lookup(zap.NewNop())
		begin := time.Now()
		l.Start()
		assert.Equal(t, l.Timeout, time.Since(begin))
		time.Sleep(l.Interval) // the next look-up hangs
		begin = time.Now()
		l.Stop()
		assert.Zero(t, time.Since(begin))
		assert.Equal(t, 1, r.failures)
	})
}

func TestStopWithoutStart(*testing.T) { (&Lookup{}).Stop() }
