package correlationindexextension

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// shared is the index that several collectors have in Redis.
type shared struct {
	config    *Config
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	pool      *redis.Pool
	outage    outage
	seed      sharedSeed
	running   context.Context
	stop      context.CancelFunc
	tasks     sync.WaitGroup
	scratches sync.Pool // of *scratch
}

var _ correlation.Index = (*shared)(nil)

func newShared(set extension.Settings, cfg *Config, telemetry *metadata.TelemetryBuilder) *shared {
	return &shared{
		config: cfg, logger: set.Logger, telemetry: telemetry,
		scratches: sync.Pool{New: func() any { return new(scratch) }},
	}
}

// Start waits for Redis no longer than a batch does, so that the first one finds the seed
// known. A collector starts without as well.
func (r *shared) Start(ctx context.Context, _ component.Host) (err error) {
	if r.pool, err = newPool(ctx, &r.config.Redis); err != nil {
		return err
	}
	r.running, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	// What goes wrong is logged as an outage, and shows by the seed.
	_ = r.try(r.running, r.agree)
	return nil
}

func (r *shared) Shutdown(context.Context) error {
	r.telemetry.Shutdown()
	if r.pool == nil {
		return nil
	}
	r.stop()
	r.tasks.Wait()
	return r.pool.Close()
}

// Window implements correlation.Index.
func (r *shared) Window() time.Duration { return r.config.Window }

// TraceIDs implements correlation.Index.
func (r *shared) TraceIDs() bool { return r.config.TraceIds }

// Visit implements correlation.Index.
func (r *shared) Visit(ctx context.Context, visits []correlation.Visit, found func(int, correlation.Result)) error {
	if len(visits) == 0 {
		return nil
	}
	var replies []reply
	err := r.try(ctx, func(ctx context.Context) (err error) {
		if err = r.agreeIfDue(ctx); err != nil {
			return err
		}
		replies, err = r.run(ctx, visits)
		return err
	})
	if err == nil {
		err = r.report(ctx, visits, replies, found)
	}
	if err != nil {
		r.telemetry.CorrelationIndexFailures.Add(ctx, 1)
	}
	return err
}

// try does something with Redis, in bounded time.
func (r *shared) try(ctx context.Context, do func(context.Context) error) error {
	if !r.outage.enter(time.Now()) {
		return errAway
	}
	bounded, cancel := context.WithTimeout(ctx, r.config.Redis.Timeout)
	defer cancel()
	err := do(bounded)
	switch {
	case err == nil || errors.Is(err, errNewSeed):
		if r.outage.reached() {
			r.logger.Info("Redis is back")
		}
	case ctx.Err() != nil: // says nothing about Redis
		r.outage.abandoned()
	default:
		r.seed.distrust()
		if r.outage.failed(time.Now()) {
			r.logger.Warn("Redis is away; nothing is linked until it is back", zap.Error(err))
		}
	}
	return err
}

// run makes the visits in one round trip.
func (r *shared) run(ctx context.Context, visits []correlation.Visit) ([]reply, error) {
	commands := make([]command, len(visits))
	for i := range visits {
		commands[i] = command{"EVALSHA", r.arguments(&visits[i])}
	}
	replies, err := r.do(ctx, commands...)
	if !lacksScript(err) {
		return replies, err
	}
	// The server is new, or has lost its scripts only.
	if _, err = r.do(ctx, command{"SCRIPT", []any{"LOAD", scriptSource}}); err != nil {
		return nil, err
	}
	if err = r.agree(ctx); err != nil {
		return nil, err
	}
	return replies, r.again(ctx, commands, replies)
}

// again makes the visits that have not been made.
func (r *shared) again(ctx context.Context, commands []command, replies []reply) error {
	var places []int
	var lacking []command
	for i := range replies {
		if lacksScript(replies[i].err) {
			places, lacking = append(places, i), append(lacking, commands[i])
		}
	}
	made, err := r.do(ctx, lacking...)
	for i := range made {
		replies[places[i]] = made[i]
	}
	return err
}

func lacksScript(err error) bool {
	var said redis.Error
	return errors.As(err, &said) && strings.HasPrefix(string(said), "NOSCRIPT ")
}

// report hands out what the visits found.
func (r *shared) report(ctx context.Context, visits []correlation.Visit, replies []reply, found func(int, correlation.Result)) error {
	room := r.scratches.Get().(*scratch)
	defer r.scratches.Put(room)
	room.poisoned = 0
	for i, reply := range replies {
		values, err := redis.Values(reply.value, reply.err)
		if err != nil {
			return err
		}
		result, err := room.result(&visits[i], values)
		if err != nil {
			return err
		}
		found(i, result)
	}
	if room.poisoned > 0 {
		r.telemetry.CorrelationIndexPoisoned.Add(ctx, room.poisoned)
	}
	return nil
}
