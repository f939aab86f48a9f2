// SPDX-License-Identifier: Apache-2.0

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
	hangs bool

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

const interval, timeout = 30 * time.Second, 5 * time.Second

// member records what it is told.
type member struct {
	lists    [][]string // the lists passed to update
	failures int
	refuses  int // how many of the first updates it refuses
}

func (m *member) start(r *resolver, logger *zap.Logger) (stop func()) {
	l := Lookup{
		Hostname: "gateway.monitoring", Interval: interval, Timeout: timeout, Port: 4317, Logger: logger, Ask: r.ask,
		Update: func(endpoints []string) error {
			m.lists = append(m.lists, endpoints)
			if len(m.lists) <= m.refuses {
				return errors.New("no such certificate")
			}
			return nil
		},
		Failed: func(error) { m.failures++ },
	}
	return l.Start()
}

func TestLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, messages := observer.New(zap.WarnLevel)
		r, m := &resolver{err: errors.New("no such host")}, &member{}
		f := func(wantLists, wantFailures int) {
			t.Helper()
			time.Sleep(interval)
			synctest.Wait()
			assert.Len(t, m.lists, wantLists)
			assert.Equal(t, wantFailures, m.failures)
		}
		stop := m.start(r, zap.New(core))
		time.Sleep(interval / 2) // so that answers change between look-ups
		synctest.Wait()
		assert.Equal(t, 1, m.failures)

		r.set(nil, "10.0.0.2", "::ffff:10.0.0.1", "fd00::1", "10.0.0.2")
		f(1, 1)
		assert.Equal(t, []string{"10.0.0.1:4317", "10.0.0.2:4317", "[fd00::1]:4317"}, m.lists[0])
		r.set(nil, "fd00::1", "10.0.0.1", "10.0.0.2")
		f(1, 1) // the same addresses in another order

		r.set(nil)
		f(1, 2)
		r.set(errors.New("server failure"))
		f(1, 3)
		assert.Equal(t, 2, messages.Len(), "one message each time that look-ups begin to fail")
		r.set(nil, "10.0.0.3")
		f(2, 3)
		assert.Equal(t, []string{"10.0.0.3:4317"}, m.lists[1])
		stop()
	})
}

// An endpoint that cannot be used is tried again.
func TestUpdateThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &member{refuses: 1}
		stop := m.start(&resolver{addresses: []string{"10.0.0.1"}}, zap.NewNop())
		assert.Equal(t, 1, m.failures)
		time.Sleep(2*interval + 1)
		stop()
		assert.Len(t, m.lists, 2)
		assert.Equal(t, 1, m.failures)
	})
}

// A DNS server that does not answer delays neither start nor stop for long.
func TestLookupThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := &resolver{hangs: true}, &member{}
		begin := time.Now()
		stop := m.start(r, zap.NewNop())
		assert.Equal(t, timeout, time.Since(begin))
		time.Sleep(interval) // the next look-up hangs
		begin = time.Now()
		stop()
		assert.Zero(t, time.Since(begin))
		assert.Equal(t, 1, m.failures)
	})
}
