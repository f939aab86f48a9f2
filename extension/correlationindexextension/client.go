package correlationindexextension

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// All that go-redis would write to stderr comes back as an error as well.
func init() { redis.SetLogger(silent{}) }

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// newClient returns a client that does not connect before it has to. It never tries
// twice: an outage is for the index to handle.
func newClient(ctx context.Context, cfg *Redis) (*redis.Client, error) {
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
	return redis.NewClient(&redis.Options{
		Addr: cfg.Endpoint, Username: cfg.Username, Password: string(cfg.Password), DB: cfg.Db,
		Dialer:                   dial,
		DialTimeout:              cfg.Timeout,
		ReadTimeout:              cfg.Timeout,
		WriteTimeout:             cfg.Timeout,
		PoolTimeout:              cfg.Timeout,
		ContextTimeoutEnabled:    true,
		MaxRetries:               -1,
		DialerRetries:            1,
		Protocol:                 2,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}), nil
}
