// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

// closable is a client that records whether it is closed.
type closable struct {
	gateway
	closed chan struct{}
}

func (c *closable) connecting() bool { return false }

func (c *closable) close() error {
	close(c.closed)
	return nil
}

func newPool(refused string) *pool[ptrace.Traces] {
	return &pool[ptrace.Traces]{dial: func(name string) (client[ptrace.Traces], error) {
		if name == refused {
			return nil, errors.New("no such certificate")
		}
		return &closable{closed: make(chan struct{})}, nil
	}}
}

func listed(endpoints []*endpoint[ptrace.Traces]) (all []string) {
	for _, e := range endpoints {
		all = append(all, e.name)
	}
	return all
}

// A delivery to an endpoint that is removed from the list completes, and update does not wait for it.
func TestRemovedEndpointIsClosedAfterItsLastBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool("")
		require.NoError(t, p.update([]string{"b:1", "a:1"}))
		before := p.acquire()
		assert.Equal(t, []string{"a:1", "b:1"}, listed(before))

		require.NoError(t, p.update([]string{"c:1", "b:1"}))
		after := p.acquire()
		assert.Equal(t, []string{"b:1", "c:1"}, listed(after))
		assert.Same(t, before[1], after[0], "an endpoint that stays keeps its connection")
		removed := before[0].client.(*closable)
		synctest.Wait()
		select {
		case <-removed.closed:
			t.Fatal("closed during a delivery")
		default:
		}
		assert.Equal(t, health.Accepted, removed.send(context.Background(), batchOf("a", 1)).Verdict)

		// It is removed by the next list too, before the first delivery ends.
		require.NoError(t, p.update(nil))
		release(after)
		<-after[1].client.(*closable).closed
		release(before)
		<-removed.closed
		p.shutdown()
		<-before[1].client.(*closable).closed
	})
}

func TestEndpointThatCannotBeDialledIsLeftOut(t *testing.T) {
	p := newPool("b:1")
	assert.EqualError(t, p.update([]string{"a:1", "b:1"}), "endpoint b:1: no such certificate")
	endpoints := p.acquire()
	assert.Equal(t, []string{"a:1"}, listed(endpoints))
	release(endpoints)
	p.shutdown()
}
