// SPDX-License-Identifier: Apache-2.0

package opampextension

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/open-telemetry/opamp-go/client"
	"github.com/open-telemetry/opamp-go/protobufs"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configtls"
	"go.uber.org/zap"
)

// Config has the settings of contrib's extension of the same name, without those by which a server or a parent process
// controls the collector.
type Config struct {
	Server Server `mapstructure:"server"`
	// InstanceUID is a UUID. Without it, each start has a new one.
	InstanceUID      string           `mapstructure:"instance_uid"`
	Capabilities     Capabilities     `mapstructure:"capabilities"`
	AgentDescription AgentDescription `mapstructure:"agent_description"`
}

// Server has exactly one of its fields.
type Server struct {
	WS   *Endpoint `mapstructure:"ws"`
	HTTP *Endpoint `mapstructure:"http"`
}

// Endpoint is how a server is reached.
type Endpoint struct {
	Endpoint string                         `mapstructure:"endpoint"`
	TLS      configtls.ClientConfig         `mapstructure:"tls,omitempty"`
	Headers  map[string]configopaque.String `mapstructure:"headers,omitempty"`
	// Auth is an extension that adds headers to each request.
	Auth *component.ID `mapstructure:"auth,omitempty"`
	// PollingInterval is used over HTTP. Its default is 30s.
	PollingInterval time.Duration `mapstructure:"polling_interval,omitempty"`
}

// Capabilities are the kinds of reports.
type Capabilities struct {
	ReportsEffectiveConfig     bool `mapstructure:"reports_effective_config"`
	ReportsHealth              bool `mapstructure:"reports_health"`
	ReportsAvailableComponents bool `mapstructure:"reports_available_components"`
	// AcceptsRestartCommand is false: the server can change nothing.
	AcceptsRestartCommand bool `mapstructure:"accepts_restart_command"`
}

// AgentDescription is what the server sees in addition to the host and the names of the service.
type AgentDescription struct {
	NonIdentifyingAttributes  map[string]string `mapstructure:"non_identifying_attributes"`
	IncludeResourceAttributes bool              `mapstructure:"include_resource_attributes"`
}

// Validate implements xconfmap.Validator.
func (cfg *Config) Validate() error {
	if (cfg.Server.WS == nil) == (cfg.Server.HTTP == nil) {
		return errors.New("server: either ws or http must be set")
	}
	server := cfg.Server.endpoint()
	if server.url().Host == "" {
		return fmt.Errorf("server: endpoint %q is not a URL", server.Endpoint)
	}
	if server.PollingInterval < 0 {
		return fmt.Errorf("server: polling_interval: %v is less than 0", server.PollingInterval)
	}
	if cfg.Capabilities.AcceptsRestartCommand {
		return errors.New("capabilities::accepts_restart_command: the server can change nothing, must be false")
	}
	if cfg.InstanceUID != "" {
		if _, err := uuid.Parse(cfg.InstanceUID); err != nil {
			return fmt.Errorf("instance_uid: %q is not a UUID: %w", cfg.InstanceUID, err)
		}
	}
	return nil
}

func (s Server) endpoint() *Endpoint {
	if s.WS != nil {
		return s.WS
	}
	return s.HTTP
}

// client returns a client that is not started.
func (s Server) client(logger *zap.Logger) client.OpAMPClient {
	if s.WS != nil {
		return client.NewWebSocket(sugared{logger.Sugar()})
	}
	polling := client.NewHTTP(sugared{logger.Sugar()})
	if s.HTTP.PollingInterval > 0 {
		polling.SetPollingInterval(s.HTTP.PollingInterval)
	}
	return polling
}

// url returns the address of the server. It is empty if the endpoint is no URL.
func (e *Endpoint) url() *url.URL {
	address, err := url.Parse(e.Endpoint)
	if err != nil {
		return &url.URL{}
	}
	return address
}

func (e *Endpoint) secure() bool {
	return e.url().Scheme == "wss" || e.url().Scheme == "https"
}

func (e *Endpoint) header() http.Header {
	header := http.Header{}
	for name, value := range e.Headers {
		header.Set(name, string(value))
	}
	return header
}

// flags returns the capabilities as the protocol has them. Each agent reports its status.
func (c Capabilities) flags() protobufs.AgentCapabilities {
	flags := protobufs.AgentCapabilities_AgentCapabilities_ReportsStatus
	if c.ReportsEffectiveConfig {
		flags |= protobufs.AgentCapabilities_AgentCapabilities_ReportsEffectiveConfig
	}
	if c.ReportsHealth {
		flags |= protobufs.AgentCapabilities_AgentCapabilities_ReportsHealth
	}
	if c.ReportsAvailableComponents {
		flags |= protobufs.AgentCapabilities_AgentCapabilities_ReportsAvailableComponents
	}
	return flags
}
