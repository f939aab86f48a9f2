package httpserver

import (
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/config/confighttp"
)

// Config is the settings of a server: confighttp's, and who may ask.
type Config struct {
	// ServerConfig has confighttp's settings. It is not embedded, since its methods are not Config's.
	ServerConfig confighttp.ServerConfig `mapstructure:",squash"`
	// AllowedHosts are the hosts by which clients may call the server besides those that
	// always work: loopback names, the machine's, and the address that a connection came to.
	AllowedHosts []string `mapstructure:"allowed_hosts"`
}

// NewDefaultConfig returns confighttp's defaults.
func NewDefaultConfig() Config { return Config{ServerConfig: confighttp.NewDefaultServerConfig()} }

// Validate refuses what is no host: one that no client could send would allow nobody.
func (c *Config) Validate() error {
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
