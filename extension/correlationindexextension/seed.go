package correlationindexextension

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

// sharedSeed is the seed that all who share an index have agreed on: the one in Redis.
type sharedSeed struct {
	mu       sync.Mutex // guards all below
	value    uint64
	known    bool
	fetching bool
	agreed   time.Time // when it was last looked up; zero if it has to be again
}

// seedInterval is how often the seed is looked up: a server can lose its data without
// anybody noticing.
const seedInterval = 10 * time.Second

var errNewSeed = errors.New("the seed of the index in redis is a new one")

// Seed implements correlation.Index. While the seed is not known, it is looked up in the
// background. A batch that it is not known for is not made any visit for.
func (r *shared) Seed() (seed uint64, ok bool) {
	if seed, ok = r.seed.get(); !ok {
		r.telemetry.CorrelationIndexFailures.Add(r.running, 1)
		r.fetchSeed()
	}
	return seed, ok
}

func (s *sharedSeed) get() (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value, s.known
}

// fetchSeed looks the seed up in the background, unless that is going on.
func (r *shared) fetchSeed() {
	if !r.seed.fetch(true) {
		return
	}
	r.tasks.Go(func() {
		defer r.seed.fetch(false)
		// What goes wrong is logged as an outage, and shows by the seed.
		_ = r.try(r.running, r.agree)
	})
}

// fetch tells whether this begins or ends a look-up.
func (s *sharedSeed) fetch(begin bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := s.fetching != begin
	s.fetching = begin
	return changes
}

// distrust has the seed looked up by the next who can.
func (s *sharedSeed) distrust() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agreed = time.Time{}
}

// due tells whether to look the seed up, to the first who asks.
func (s *sharedSeed) due(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known && now.Sub(s.agreed) < seedInterval {
		return false
	}
	s.agreed = now
	return true
}

func (r *shared) agreeIfDue(ctx context.Context) error {
	if !r.seed.due(time.Now()) {
		return nil
	}
	return r.agree(ctx)
}

// agree looks the seed up. It is this collector's own, if there is none: the one that it
// has used so far, so that a server which lost its data gets the seed back. If it is
// another one than before, that is an error, for all keys have changed.
func (r *shared) agree(ctx context.Context) error {
	own, known := r.seed.get()
	if !known {
		own = randomSeed()
	}
	name := r.config.Redis.Prefix + "seed"
	replies, err := r.do(ctx,
		command{"SETNX", []any{name, strconv.FormatUint(own, 16)}}, command{"GET", []any{name}})
	if err != nil {
		return err
	}
	stored, err := redis.String(replies[1].value, nil)
	if err != nil {
		return fmt.Errorf("redis key %s: %w", name, err)
	}
	agreed, err := strconv.ParseUint(stored, 16, 64)
	if err != nil {
		return fmt.Errorf("redis key %s: must hold a seed (got %q)", name, stored)
	}
	return r.seed.set(agreed)
}

func (s *sharedSeed) set(value uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := s.known && s.value == value
	s.value, s.known, s.agreed = value, true, time.Now()
	if !same {
		return errNewSeed
	}
	return nil
}
