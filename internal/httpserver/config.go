// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/config/confighttp"
)

// Config is the settings of a server: those of confighttp, and the allowed hosts.
type Config struct {
	// ServerConfig has confighttp's settings. It is not embedded, because its methods must not
	// become Config's.
	ServerConfig confighttp.ServerConfig `mapstructure:",squash"`
	// AllowedHosts are the values of the Host header that the server accepts. It always accepts
	// loopback names, the machine's name, and the address of the connection.
	AllowedHosts []string `mapstructure:"allowed_hosts"`
}

// NewDefaultConfig returns confighttp's defaults, with less time for a request: those to these servers are small, and a
// client that sends nothing, or never ends its request, neither keeps a connection nor delays the shutdown.
func NewDefaultConfig() Config {
	server := confighttp.NewDefaultServerConfig()
	server.ReadHeaderTimeout = 2 * time.Second
	server.ReadTimeout = 4 * time.Second
	return Config{ServerConfig: server}
}

// Validate returns an error for an endpoint that is missing, which would be a random port of all interfaces, and for an
// allowed host that no client can send.
func (c *Config) Validate() error {
	if c.ServerConfig.NetAddr.Endpoint == "" {
		return errors.New(`endpoint: must be an address to listen on (got "")`)
	}
	for _, host := range c.AllowedHosts {
		if host == anyHost {
			continue
		}
		if name, ok := normalHost(host); !ok || name == "" || strings.ContainsAny(host, "*/ ") {
			return fmt.Errorf(`allowed_hosts: must have only names and addresses without a port, or "*" (got %q)`, host)
		}
	}
	return nil
}

func (c *Config) allowsAll() bool { return slices.Contains(c.AllowedHosts, anyHost) }
