package correlationindexextension

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
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
	client    *redis.Client
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
	if r.client, err = newClient(ctx, &r.config.Redis); err != nil {
		return err
	}
	r.running, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	// What goes wrong is logged as an outage, and shows by the seed.
	_ = r.try(r.running, r.agree)
	return nil
}

func (r *shared) Shutdown(context.Context) error {
	r.telemetry.Shutdown()
	if r.client == nil {
		return nil
	}
	r.stop()
	r.tasks.Wait()
	return r.client.Close()
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
	var commands []*redis.Cmd
	err := r.try(ctx, func(ctx context.Context) (err error) {
		if err = r.agreeIfDue(ctx); err != nil {
			return err
		}
		commands, err = r.run(ctx, visits)
		return err
	})
	if err == nil {
		err = r.report(ctx, visits, commands, found)
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
func (r *shared) run(ctx context.Context, visits []correlation.Visit) ([]*redis.Cmd, error) {
	commands := make([]*redis.Cmd, len(visits))
	err := r.evaluate(ctx, visits, commands)
	if !lacksScript(err) {
		return commands, err
	}
	// The server is new, or has lost its scripts only.
	if err = r.client.ScriptLoad(ctx, scriptSource).Err(); err != nil {
		return nil, err
	}
	if err = r.agree(ctx); err != nil {
		return nil, err
	}
	return commands, r.evaluate(ctx, visits, commands)
}

// evaluate makes the visits that have not been made.
func (r *shared) evaluate(ctx context.Context, visits []correlation.Visit, commands []*redis.Cmd) error {
	pipeline := r.client.Pipeline()
	for i := range visits {
		if commands[i] == nil || lacksScript(commands[i].Err()) {
			keys, others := r.arguments(&visits[i])
			commands[i] = pipeline.EvalSha(ctx, scriptHash, keys, others...)
		}
	}
	_, err := pipeline.Exec(ctx)
	return err
}

func lacksScript(err error) bool { return redis.HasErrorPrefix(err, "NOSCRIPT") }

// report hands out what the visits found.
func (r *shared) report(ctx context.Context, visits []correlation.Visit, commands []*redis.Cmd, found func(int, correlation.Result)) error {
	room := r.scratches.Get().(*scratch)
	defer r.scratches.Put(room)
	room.poisoned = 0
	for i, command := range commands {
		values, err := command.Slice()
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
