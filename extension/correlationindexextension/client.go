package correlationindexextension

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"runtime"
	"time"

	"github.com/gomodule/redigo/redis"
)

// newPool returns connections that are not made before they have to be. Nothing is ever
// tried twice: an outage is for the index to handle.
func newPool(ctx context.Context, cfg *Redis) (*redis.Pool, error) {
	dial := (&net.Dialer{}).DialContext
	if cfg.TLS != nil {
		config, err := cfg.TLS.LoadTLSConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("redis::tls: %w", err)
		}
		if config != nil {
			dial = (&tls.Dialer{Config: config}).DialContext
		}
	}
	connections := 10 * runtime.GOMAXPROCS(0)
	return &redis.Pool{
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			return redis.DialContext(ctx, "tcp", cfg.Endpoint,
				redis.DialContextFunc(dial),
				redis.DialUsername(cfg.Username), redis.DialPassword(string(cfg.Password)), redis.DialDatabase(cfg.Db),
				redis.DialReadTimeout(cfg.Timeout), redis.DialWriteTimeout(cfg.Timeout))
		},
		TestOnBorrowContext: stillThere,
		MaxActive:           connections,
		MaxIdle:             connections,
		Wait:                true,
		IdleTimeout:         30 * time.Minute,
	}, nil
}

// stillThere asks a connection that was idle for as long as an outage is at the least, so
// that those from before it are left.
func stillThere(ctx context.Context, connection redis.Conn, idleSince time.Time) error {
	if time.Since(idleSince) < backOff {
		return nil
	}
	_, err := redis.DoContext(connection, ctx, "PING")
	return err
}

// command is one of Redis, with its arguments.
type command struct {
	name      string
	arguments []any
}

// reply is what came back for a command: the other is nil.
type reply struct {
	value any
	err   error // of the server
}

// do runs commands in one round trip. The error is the first that there was; replies are nil
// when it was not the server's.
func (r *shared) do(ctx context.Context, commands ...command) ([]reply, error) {
	connection, err := r.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Close() // puts it back, unless it is broken
	for _, c := range commands {
		if err := connection.Send(c.name, c.arguments...); err != nil {
			return nil, err
		}
	}
	if err := connection.Flush(); err != nil {
		return nil, err
	}
	var first error
	replies := make([]reply, len(commands))
	for i := range replies {
		replies[i].value, replies[i].err = redis.ReceiveWithTimeout(connection, left(ctx, r.config.Redis.Timeout))
		if connection.Err() != nil {
			return nil, connection.Err()
		}
		if first == nil {
			first = replies[i].err
		}
	}
	return replies, first
}

// left is the time until a context ends, which is the timeout at the most. The least that can
// be waited for is more than nothing, which would be for ever.
func left(ctx context.Context, timeout time.Duration) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return timeout
	}
	return max(min(time.Until(deadline), timeout), 1)
}
