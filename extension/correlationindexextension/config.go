// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"fmt"
	"net"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// The values of Config.Backend.
const (
	backendMemory = "memory"
	backendRedis  = "redis"
)

// maxWindow is longer than anything takes.
const maxWindow = 365 * 24 * time.Hour

// The validators that generated_config.go calls. Each error names the key, the
// rule and the value.

func validateBackend(backend string) error {
	return policy.OneOf("backend", backend, backendMemory, backendRedis)
}

func validateMaxMemory(mib int) error { return policy.MiB("max_memory_mib", mib) }

func validateWindow(window time.Duration) error {
	if window < time.Second || window > maxWindow {
		return fmt.Errorf("window: must be from %s to %s (got %s)", time.Second, maxWindow, window)
	}
	return nil
}

// validateTogether checks what depends on the backend.
func validateTogether(cfg *Config) error {
	if cfg.Backend != backendRedis {
		return nil
	}
	return cfg.Redis.validate()
}

func (r *Redis) validate() error {
	addresses, key := r.Addresses, "addresses"
	if len(addresses) == 0 {
		addresses, key = []string{r.Endpoint}, "endpoint"
	}
	for _, address := range addresses {
		if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
			return fmt.Errorf("redis::%s: must be host:port (got %q)", key, address)
		}
	}
	switch {
	case r.Cluster && r.MasterName != "":
		return fmt.Errorf("redis::master_name: must not be set for a cluster (got %q)", r.MasterName)
	case len(addresses) > 1 && !r.Cluster && r.MasterName == "":
		return fmt.Errorf("redis::addresses: must be one, unless cluster or master_name is set (got %q)", addresses)
	}
	return policy.Positive("redis::timeout", r.Timeout)
}
