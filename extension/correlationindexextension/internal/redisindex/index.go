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

	outage  outage
	seed    seed
	running context.Context
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// Start waits for Redis no longer than a batch does, so that the first batch knows the seed.
func (x *Index) Start(ctx context.Context) {
	x.running, x.stop = context.WithCancel(context.WithoutCancel(ctx))
	_ = x.try(x.running, x.agree) // an error is logged as an outage
}

// Close ends all connections.
func (x *Index) Close() error {
	x.stop()
	x.tasks.Wait()
	return x.Client.Close()
}

// Do implements correlation.Index.
func (x *Index) Do(ctx context.Context, requests []correlation.Request, found func(int, correlation.Result)) error {
	if len(requests) == 0 {
		return nil
	}
	var replies []redis.Cmder
	err := x.try(ctx, func(ctx context.Context) (err error) {
		if x.seed.due(time.Now()) {
			if err = x.agree(ctx); err != nil {
				return err
			}
		}
		replies, err = x.run(ctx, requests)
		return err
	})
	if err == nil {
		err = x.report(ctx, requests, replies, found)
	}
	if err != nil {
		x.Telemetry.CorrelationIndexFailures.Add(ctx, 1)
	}
	return err
}

// try calls do, which uses Redis, in bounded time.
func (x *Index) try(ctx context.Context, do func(context.Context) error) error {
	if !x.outage.enter(time.Now()) {
		return errAway
	}
	bounded, cancel := context.WithTimeout(ctx, x.Timeout)
	defer cancel()
	err := do(bounded)
	switch {
	case err == nil || errors.Is(err, errNewSeed):
		if x.outage.reached() {
			x.Logger.Info("Redis is back")
		}
	case ctx.Err() != nil: // says nothing about Redis
		x.outage.abandoned()
	default:
		x.seed.distrust()
		if x.outage.failed(time.Now()) {
			x.Logger.Warn("Redis is away; nothing is linked until it is back", zap.Error(err))
		}
	}
	return err
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
	// A server is new, or has lost its scripts only.
	if err = x.agree(ctx); err != nil {
		return nil, err
	}
	var places []int
	for i := range replies {
		if lacksScript(replies[i].Err()) {
			places = append(places, i)
		}
	}
	// EVAL has each server keep the script.
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
