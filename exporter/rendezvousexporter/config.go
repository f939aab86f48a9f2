// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// The functions below are called by generated_config.go. Each error names the key, the rule and the value.

func validateEndpoints(endpoints []string) error {
	seen := map[string]bool{}
	for _, endpoint := range endpoints {
		host, port, err := net.SplitHostPort(endpoint)
		if err != nil || host == "" || !isPort(port) {
			return fmt.Errorf("endpoints: must each be host:port (got %q)", endpoint)
		}
		if seen[endpoint] {
			return fmt.Errorf("endpoints: must differ (got %q twice)", endpoint)
		}
		seen[endpoint] = true
	}
	return nil
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// validateTimeout requires a timeout, so that shutdown always ends.
func validateTimeout(d time.Duration) error { return policy.Positive("timeout", d) }

func validateTogether(cfg *Config) error {
	if len(cfg.Endpoints) > 0 && cfg.DNS.Hostname != "" {
		return fmt.Errorf("dns::hostname: must not be set together with endpoints (got %q and %q)", cfg.DNS.Hostname, cfg.Endpoints)
	}
	if cfg.Client.Endpoint != "" {
		return fmt.Errorf("client::endpoint: must not be set, because endpoints or dns set the address (got %q)", cfg.Client.Endpoint)
	}
	if cfg.Client.WaitForReady {
		return errors.New("client::wait_for_ready: must be false, so that data goes to another endpoint if its own is away (got true)")
	}
	return cfg.DNS.validate()
}

func (d *DNS) validate() error {
	// A URL or an endpoint is not a DNS name.
	if strings.ContainsFunc(d.Hostname, func(r rune) bool { return r == ':' || r == '/' || unicode.IsSpace(r) }) {
		return fmt.Errorf("dns::hostname: must be a name without colons, slashes and spaces, the port is dns::port (got %q)", d.Hostname)
	}
	if d.Port < 1 || d.Port > 65535 {
		return fmt.Errorf("dns::port: must be from 1 to 65535 (got %d)", d.Port)
	}
	if err := policy.AtLeast("dns::interval", d.Interval, time.Second); err != nil {
		return err
	}
	return policy.Positive("dns::timeout", d.Timeout)
}
