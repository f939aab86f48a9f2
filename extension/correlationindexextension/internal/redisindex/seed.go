// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/memoryindex"
)

// seed is the seed that all collectors of an index have agreed on: the one in Redis.
type seed struct {
	mu       sync.Mutex // guards all below
	value    uint64
	known    bool
	fetching bool
	agreed   time.Time // when it was last looked up; zero if it must be looked up again
}

// seedInterval is how often the seed is looked up: a server can lose its data unnoticed.
const seedInterval = 10 * time.Second

var errNewSeed = errors.New("the seed of the index in redis is a new one")

// Seed implements correlation.Index. A seed that is not known is looked up in the background.
// Its batch makes no requests.
func (x *Index) Seed() (value uint64, ok bool) {
	if value, ok = x.seed.get(); ok {
		return value, true
	}
	x.Telemetry.CorrelationIndexFailures.Add(x.running, 1)
	if x.seed.fetch(true) {
		x.tasks.Go(func() {
			defer x.seed.fetch(false)
			_ = x.try(x.running, x.agree) // an error is logged as an outage
		})
	}
	return 0, false
}

func (s *seed) get() (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value, s.known
}

// fetch begins or ends a look-up, and reports whether that is a change.
func (s *seed) fetch(begin bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := s.fetching != begin
	s.fetching = begin
	return changes
}

// distrust makes the next batch look the seed up.
func (s *seed) distrust() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agreed = time.Time{}
}

// due reports whether to look the seed up, and returns true only to the first caller.
func (s *seed) due(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known && now.Sub(s.agreed) < seedInterval {
		return false
	}
	s.agreed = now
	return true
}

// agree looks the seed up. If there is none, it stores the one that this collector has used so
// far, so that a server without its data gets the seed back. Another seed than before is an
// error, because it changes all keys.
func (x *Index) agree(ctx context.Context) error {
	own, known := x.seed.get()
	if !known {
		own = memoryindex.RandomSeed()
	}
	name := x.Prefix + "seed"
	replies, err := x.Client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.SetNX(ctx, name, strconv.FormatUint(own, 16), 0)
		p.Get(ctx, name)
		return nil
	})
	if err != nil {
		return fmt.Errorf("redis key %s: %w", name, err)
	}
	stored := replies[1].(*redis.StringCmd).Val()
	agreed, err := strconv.ParseUint(stored, 16, 64)
	if err != nil {
		return fmt.Errorf("redis key %s: must hold a seed (got %q)", name, stored)
	}
	return x.seed.set(agreed)
}

func (s *seed) set(value uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := s.known && s.value == value
	s.value, s.known, s.agreed = value, true, time.Now()
	if !same {
		return errNewSeed
	}
	return nil
}
