// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/component"
)

// Live is the policy of a collector, which can change while the collector runs. It is safe for concurrent use.
//
// A batch has one policy from the first component of this distribution that it comes to until it leaves the collector,
// although the policy changes meanwhile. Its context carries a generation: the policy, with what each component made
// of it.
type Live struct {
	current atomic.Pointer[generation]

	mu    sync.Mutex // held during a change, and while a component joins
	users []user
}

// generation is a policy with the states of all components that go by it.
type generation struct {
	live   *Live
	policy *Policy
	states atomic.Pointer[[]any] // by User.number
}

type generationKey struct{}

// user is a User of any type of state.
type user interface {
	// prepareNext returns the state for a policy, and the function to call once all states are prepared.
	prepareNext(p *Policy, before any) (state any, commit func(), err error)
}

// NewLive returns a policy that can change.
func NewLive(p *Policy) *Live {
	l := &Live{}
	g := &generation{live: l, policy: p}
	g.states.Store(&[]any{})
	l.current.Store(g)
	return l
}

// Policy returns the current policy.
func (l *Live) Policy() *Policy { return l.current.Load().policy }

// Change replaces the policy. Batches that come later go by it, and those that came before by the old one. If a
// component cannot go by the new policy, it returns an error and changes nothing.
func (l *Live) Change(p *Policy) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.current.Load()
	p.share(before.policy)
	next := &generation{live: l, policy: p}
	old := *before.states.Load()
	states, commits := make([]any, len(old)), make([]func(), len(old))
	var faults []error
	for i, u := range l.users {
		var err error
		states[i], commits[i], err = u.prepareNext(p, old[i])
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	next.states.Store(&states)
	for _, commit := range commits {
		commit()
	}
	l.current.Store(next)
	return nil
}

// User is a component that goes by the policy. S is what it makes of a policy.
type User[S any] struct {
	live   *Live
	id     component.ID
	mode   string
	number int
	make   Maker[S]
}

// Maker makes the state of a component from a policy. Before is the state for the policy before, or the zero value.
// Commit may be nil. It is called once all components have their states, before batches get the new one.
type Maker[S any] func(p *Policy, before S) (state S, commit func(), err error)

// Use has a component go by the policy of its host: that of the conventions extension, or the defaults without one.
// Mode is the component's own mode, which applies to all services. An empty one means the policy's.
func Use[S any](host component.Host, id component.ID, mode string, maker Maker[S]) (*User[S], error) {
	live, err := liveOf(host)
	if err != nil {
		return nil, err
	}
	return join(live, &User[S]{live: live, id: id, mode: mode, make: maker})
}

// For returns the current policy of a host, for components that go by one policy until they stop.
func For(host component.Host) (*Policy, error) {
	live, err := liveOf(host)
	if err != nil {
		return nil, err
	}
	return live.Policy(), nil
}

// liveOf returns the policy of the conventions extension, or the defaults without one.
func liveOf(host component.Host) (*Live, error) {
	extension, err := Find(host)
	if err != nil {
		return nil, err
	}
	if extension != nil {
		return extension.Live(), nil
	}
	p, err := New(*NewDefaultConfig())
	if err != nil {
		return nil, err
	}
	return NewLive(p), nil
}

func join[S any](l *Live, u *User[S]) (*User[S], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.current.Load()
	var before S
	state, commit, err := u.make(u.policy(g.policy), before)
	if err != nil {
		return nil, err
	}
	if commit != nil {
		commit()
	}
	known := *g.states.Load()
	u.number = len(known)
	l.users = append(l.users, u)
	states := slices.Concat(known, []any{state})
	g.states.Store(&states)
	return u, nil
}

// policy returns a policy in the component's own mode.
func (u *User[S]) policy(p *Policy) *Policy {
	if u.mode == "" {
		return p
	}
	return p.inMode(u.mode == Audit)
}

func (u *User[S]) prepareNext(p *Policy, before any) (any, func(), error) {
	state, commit, err := u.make(u.policy(p), before.(S))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", u.id, err)
	}
	if commit == nil {
		commit = func() {}
	}
	return state, commit, nil
}

// pinned returns the generation that a context carries, or nil.
func (l *Live) pinned(ctx context.Context) *generation {
	if g, ok := ctx.Value(generationKey{}).(*generation); ok && g.live == l {
		return g
	}
	return nil
}

// Pin returns a context whose policy does not change. The context of a batch has one already if another component was
// before.
func (u *User[S]) Pin(ctx context.Context) context.Context {
	if u.live.pinned(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, generationKey{}, u.live.current.Load())
}

// Of returns the state for the policy of a context, or for the current policy if the context has none.
func (u *User[S]) Of(ctx context.Context) S {
	if g := u.live.pinned(ctx); g != nil {
		if states := *g.states.Load(); u.number < len(states) {
			return states[u.number].(S)
		}
	}
	return u.Current()
}

// Current returns the state for the current policy.
func (u *User[S]) Current() S { return (*u.live.current.Load().states.Load())[u.number].(S) }
