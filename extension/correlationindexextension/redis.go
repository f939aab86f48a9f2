// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/redisindex"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// shared is the index that several collectors have in Redis.
type shared struct {
	*redisindex.Index
	configured
	set       extension.Settings
	telemetry *metadata.TelemetryBuilder
}

var _ correlation.Index = (*shared)(nil)

// silence stops the client's own log, which goes to stderr and repeats what errors say.
var silence = sync.OnceFunc(logging.Disable)

// Start connects to nothing: a collector starts without Redis as well.
func (s *shared) Start(ctx context.Context, _ component.Host) error {
	options, err := s.config.Redis.options(ctx)
	if err != nil {
		return err
	}
	silence()
	s.Index = &redisindex.Index{
		Client: redis.NewUniversalClient(options), Prefix: s.config.Redis.Prefix, Timeout: s.config.Redis.Timeout,
		MaxAge: s.config.Window, Logger: s.set.Logger, Telemetry: s.telemetry,
	}
	return nil
}

func (s *shared) Shutdown(context.Context) error {
	s.telemetry.Shutdown()
	if s.Index == nil {
		return nil
	}
	return s.Close()
}

// options returns the client's options, which bound all operations. The client repeats no command,
// except for the redirections of a cluster, because the index handles outages.
func (r *Redis) options(ctx context.Context) (*redis.UniversalOptions, error) {
	addresses := r.Addresses
	if len(addresses) == 0 {
		addresses = []string{r.Endpoint}
	}
	options := &redis.UniversalOptions{
		Addrs:            addresses,
		MasterName:       r.MasterName,
		IsClusterMode:    r.Cluster,
		Username:         r.Username,
		Password:         string(r.Password),
		SentinelUsername: r.SentinelUsername,
		SentinelPassword: string(r.SentinelPassword),

		DialTimeout:           r.Timeout,
		ReadTimeout:           r.Timeout,
		WriteTimeout:          r.Timeout,
		PoolTimeout:           r.Timeout,
		ContextTimeoutEnabled: true,
		MaxRetries:            -1,
		DialerRetries:         1,
		MaxRedirects:          3,
		PoolSize:              10 * runtime.GOMAXPROCS(0), // of each server
		ConnMaxIdleTime:       30 * time.Minute,

		// These would need more rights, or a Redis that is newer than 5.
		Protocol:                 2,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if r.TLS != nil {
		config, err := r.TLS.LoadTLSConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("redis::tls: %w", err)
		}
		options.TLSConfig = config
	}
	return options, nil
}
