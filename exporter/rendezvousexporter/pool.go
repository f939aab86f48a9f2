// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/choice"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

// endpoint is a gateway with its connection and health.
type endpoint[T any] struct {
	name   string
	seed   uint64 // of its weights
	client client[T]
	health health.State
	users  sync.WaitGroup // deliveries that may send to it
}

// pool is the list of endpoints. Its methods are safe for concurrent use.
type pool[T any] struct {
	dial    func(name string) (client[T], error)
	closing sync.WaitGroup // endpoints removed from the list

	mu        sync.RWMutex
	endpoints []*endpoint[T] // sorted, never changed in place; guarded by mu
}

// acquire returns the endpoints. They stay open until release.
func (p *pool[T]) acquire() []*endpoint[T] {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, e := range p.endpoints {
		e.users.Add(1)
	}
	return p.endpoints
}

func release[T any](endpoints []*endpoint[T]) {
	for _, e := range endpoints {
		e.users.Done()
	}
}

// update replaces the list. Endpoints that stay keep their connections, and names that cannot be dialled
// are left out. It does not block.
func (p *pool[T]) update(names []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var next []*endpoint[T]
	var errs []error
	for _, name := range slices.Sorted(slices.Values(names)) {
		if i := slices.IndexFunc(p.endpoints, func(e *endpoint[T]) bool { return e.name == name }); i >= 0 {
			next = append(next, p.endpoints[i])
			continue
		}
		client, err := p.dial(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("endpoint %s: %w", name, err))
			continue
		}
		next = append(next, &endpoint[T]{name: name, seed: choice.Seed(name), client: client})
	}
	for _, e := range p.endpoints {
		if !slices.Contains(next, e) {
			p.closing.Go(func() {
				e.users.Wait()
				_ = e.client.close()
			})
		}
	}
	p.endpoints = next
	return errors.Join(errs...)
}

// shutdown closes all endpoints once their deliveries have ended.
func (p *pool[T]) shutdown() {
	_ = p.update(nil)
	p.closing.Wait()
}

// counts returns the number of endpoints, and how many of them are away.
func (p *pool[T]) counts() (known, avoided int64) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, e := range p.endpoints {
		if e.health.Avoided() {
			avoided++
		}
	}
	return int64(len(p.endpoints)), avoided
}
