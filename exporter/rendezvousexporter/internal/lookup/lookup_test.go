// SPDX-License-Identifier: Apache-2.0

package lookup

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
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
	asked atomic.Int32

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
	r.asked.Add(1)
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

var gateways = Name{Hostname: "gateway.monitoring", Interval: 30 * time.Second, Timeout: 5 * time.Second}

// member records what it is told.
type member struct {
	lists    [][]string // the lists passed to update
	failures int
}

func (m *member) join(g *Group, port int, logger *zap.Logger) (leave func()) {
	return g.Join(gateways, &Member{
		Port: port, Logger: logger,
		Update: func(endpoints []string) error { m.lists = append(m.lists, endpoints); return nil },
		Failed: func(error) { m.failures++ },
	})
}

func TestLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, messages := observer.New(zap.WarnLevel)
		r, m := &resolver{err: errors.New("no such host")}, &member{}
		f := func(wantLists, wantFailures int) {
			t.Helper()
			time.Sleep(gateways.Interval)
			synctest.Wait()
			assert.Len(t, m.lists, wantLists)
			assert.Equal(t, wantFailures, m.failures)
		}
		leave := m.join(&Group{Ask: r.ask}, 4317, zap.New(core))
		time.Sleep(gateways.Interval / 2) // so that answers change between look-ups
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
		leave()
	})
}

// Members of one name share its look-ups, get what is known when they join, and nothing after they left.
func TestMembersShareLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &resolver{addresses: []string{"10.0.0.1"}}
		g := &Group{Ask: r.ask}
		var one, two member
		leaveOne := one.join(g, 4317, zap.NewNop())
		time.Sleep(gateways.Interval / 2)
		leaveTwo := two.join(g, 4318, zap.NewNop())
		assert.Equal(t, [][]string{{"10.0.0.1:4317"}}, one.lists)
		assert.Equal(t, [][]string{{"10.0.0.1:4318"}}, two.lists)
		assert.Equal(t, int32(1), r.asked.Load())

		r.set(nil, "10.0.0.2")
		time.Sleep(gateways.Interval)
		synctest.Wait()
		assert.Equal(t, int32(2), r.asked.Load())
		assert.Equal(t, []string{"10.0.0.2:4317"}, one.lists[1])
		assert.Equal(t, []string{"10.0.0.2:4318"}, two.lists[1])

		leaveOne()
		r.set(errors.New("no such host"))
		time.Sleep(gateways.Interval)
		synctest.Wait()
		assert.Zero(t, one.failures)
		assert.Equal(t, 1, two.failures)
		leaveTwo()
		time.Sleep(2 * gateways.Interval)
		assert.Equal(t, int32(3), r.asked.Load(), "nobody needs the name any more")

		r.set(nil, "10.0.0.3")
		var again member
		again.join(g, 4317, zap.NewNop())()
		assert.Equal(t, [][]string{{"10.0.0.3:4317"}}, again.lists)
	})
}

// Members may join and leave at any time.
func TestMembersComeAndGo(*testing.T) {
	g := &Group{Ask: (&resolver{addresses: []string{"10.0.0.1"}}).ask}
	often := Name{Hostname: gateways.Hostname, Interval: time.Millisecond, Timeout: time.Second}
	var members sync.WaitGroup
	for range 8 {
		members.Go(func() {
			for range 20 {
				g.Join(often, &Member{
					Port: 4317, Logger: zap.NewNop(),
					Update: func([]string) error { return nil }, Failed: func(error) {},
				})()
			}
		})
	}
	members.Wait()
}

// An endpoint that cannot be used is tried again.
func TestUpdateThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &resolver{addresses: []string{"10.0.0.1"}}
		var updates int
		var failures []error
		refused := errors.New("no such certificate")
		leave := (&Group{Ask: r.ask}).Join(gateways, &Member{
			Port: 4317, Logger: zap.NewNop(),
			Update: func([]string) error {
				if updates++; updates == 1 {
					return refused
				}
				return nil
			},
			Failed: func(err error) { failures = append(failures, err) },
		})
		assert.Equal(t, []error{refused}, failures)
		time.Sleep(2 * gateways.Interval)
		synctest.Wait()
		assert.Equal(t, 2, updates)
		assert.Len(t, failures, 1)
		leave()
	})
}

// A DNS server that does not answer delays neither start nor stop for long.
func TestLookupThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := &resolver{hangs: true}, &member{}
		begin := time.Now()
		leave := m.join(&Group{Ask: r.ask}, 4317, zap.NewNop())
		assert.Equal(t, gateways.Timeout, time.Since(begin))
		time.Sleep(gateways.Interval) // the next look-up hangs
		begin = time.Now()
		leave()
		assert.Zero(t, time.Since(begin))
		assert.Equal(t, 1, m.failures)
	})
}
