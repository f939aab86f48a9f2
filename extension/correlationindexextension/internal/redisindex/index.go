// SPDX-License-Identifier: Apache-2.0

// Package redisindex remembers members in a Redis that several collectors share: a single
// server, a primary that Sentinel knows, or a cluster.
package redisindex

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Index is the index of all collectors with the same Redis and prefix. It is safe for
// concurrent use.
type Index struct {
	Client    redis.UniversalClient
	Prefix    string        // of all keys
	Timeout   time.Duration // of a batch
	MaxAge    time.Duration // of members
	Logger    *zap.Logger
	Telemetry *metadata.TelemetryBuilder

	outage outage
}

// Close ends all connections.
func (x *Index) Close() error { return x.Client.Close() }

// Do implements correlation.Index.
func (x *Index) Do(ctx context.Context, requests []correlation.Request, found func(int, correlation.Result)) error {
	if len(requests) == 0 {
		return nil
	}
	replies, err := x.try(ctx, requests)
	if err == nil {
		err = x.report(ctx, requests, replies, found)
	}
	if err != nil {
		x.Telemetry.CorrelationIndexFailures.Add(ctx, 1)
	}
	return err
}

// try makes the requests in bounded time, unless Redis is away.
func (x *Index) try(ctx context.Context, requests []correlation.Request) ([]redis.Cmder, error) {
	if !x.outage.enter(time.Now()) {
		return nil, errAway
	}
	bounded, cancel := context.WithTimeout(ctx, x.Timeout)
	defer cancel()
	replies, err := x.run(bounded, requests)
	if err != nil && ctx.Err() != nil {
		return nil, err // says nothing about Redis
	}
	if changed := x.outage.set(err != nil, time.Now()); changed && err != nil {
		x.Logger.Warn("Redis is away; nothing is linked until it is back", zap.Error(err))
	} else if changed {
		x.Logger.Info("Redis is back")
	}
	return replies, err
}

// run runs the script for each request, in one round trip to each server. Each script has one
// key, so that a cluster can run it, and those of one key run in their order.
func (x *Index) run(ctx context.Context, requests []correlation.Request) ([]redis.Cmder, error) {
	replies, err := x.pipeline(ctx, len(requests), func(p redis.Pipeliner, i int) {
		p.EvalSha(ctx, scriptHash, x.keys(&requests[i]), x.arguments(&requests[i])...)
	})
	if !lacksScript(err) {
		return replies, err
	}
	// A server is new, or has lost its scripts. EVAL has each server keep the script.
	var places []int
	for i := range replies {
		if lacksScript(replies[i].Err()) {
			places = append(places, i)
		}
	}
	made, err := x.pipeline(ctx, len(places), func(p redis.Pipeliner, i int) {
		request := &requests[places[i]]
		p.Eval(ctx, scriptSource, x.keys(request), x.arguments(request)...)
	})
	for i := range made {
		replies[places[i]] = made[i]
	}
	return replies, err
}

func lacksScript(err error) bool { return redis.HasErrorPrefix(err, "NOSCRIPT") }

// pipeline sends n commands together. The error is the worst of theirs: one that is not
// NOSCRIPT if there is any.
func (x *Index) pipeline(ctx context.Context, n int, add func(p redis.Pipeliner, i int)) ([]redis.Cmder, error) {
	replies, err := x.Client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range n {
			add(p, i)
		}
		return nil
	})
	for _, reply := range replies {
		if err := reply.Err(); err != nil && !lacksScript(err) {
			return replies, err
		}
	}
	return replies, err
}

// report hands out the results.
func (x *Index) report(ctx context.Context, requests []correlation.Request, replies []redis.Cmder, found func(int, correlation.Result)) error {
	var r reader
	for i, reply := range replies {
		values, err := reply.(*redis.Cmd).Slice()
		if err != nil {
			return err
		}
		result, err := r.result(&requests[i], values)
		if err != nil {
			return err
		}
		found(i, result)
	}
	if r.poisoned > 0 {
		x.Telemetry.CorrelationIndexPoisoned.Add(ctx, r.poisoned)
	}
	return nil
}

// outage prevents that batches wait for a server that is away: after a failure none tries for a
// while.
type outage struct {
	mu    sync.Mutex // guards all below
	away  bool
	until time.Time // no batch tries before
}

// backOff is how long no batch tries.
const backOff = time.Second

var errAway = errors.New("redis is away, and is tried again within a second")

// enter reports whether to try. While the server is away, one batch at a time does.
func (o *outage) enter(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away && now.Before(o.until) {
		return false
	}
	o.until = now.Add(backOff)
	return true
}

// set records whether the server was reached, and reports whether that is a change.
func (o *outage) set(away bool, now time.Time) (changed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	changed = o.away != away
	o.away, o.until = away, now.Add(backOff)
	return changed
}
