// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// collectorSettings is the part of the collector's configuration that the extension needs.
type collectorSettings struct {
	// processors are not decoded, because the same key can have another type in another processor.
	processors map[string]any
	Service    struct {
		Pipelines map[string]struct {
			Processors []string `mapstructure:"processors"`
			Exporters  []string `mapstructure:"exporters"`
		} `mapstructure:"pipelines"`
		Telemetry struct {
			Metrics struct {
				Level   string `mapstructure:"level"`
				Readers []struct {
					Pull struct {
						Exporter map[string]pullExporter `mapstructure:"exporter"`
					} `mapstructure:"pull"`
				} `mapstructure:"readers"`
			} `mapstructure:"metrics"`
		} `mapstructure:"telemetry"`
	} `mapstructure:"service"`
}

type pullExporter struct {
	Host string `mapstructure:"host"`
	Port any    `mapstructure:"port"`
}

func readSettings(conf *confmap.Conf) (*collectorSettings, error) {
	s := &collectorSettings{}
	if err := conf.Unmarshal(s, confmap.WithIgnoreUnused()); err != nil {
		return nil, fmt.Errorf("cannot read the collector's configuration: %w", err)
	}
	s.processors, _ = conf.ToStringMap()["processors"].(map[string]any)
	return s, nil
}

// defaultPage is the address of the collector's metrics page if none is configured.
const defaultPage = "localhost:8888"

var errNoPage = errors.New("service::telemetry::metrics: must have a Prometheus reader, because the state of exporters is read from its page")

// page returns the address of the collector's metrics page.
func (s *collectorSettings) page() (address string, err error) {
	metrics := s.Service.Telemetry.Metrics
	if strings.EqualFold(metrics.Level, "none") {
		return "", errNoPage
	}
	if metrics.Readers == nil {
		return defaultPage, nil
	}
	for _, reader := range metrics.Readers {
		for kind, exporter := range reader.Pull.Exporter {
			if kind, _, _ := strings.Cut(kind, "/"); kind == "prometheus" && exporter.Port != nil {
				return net.JoinHostPort(reachable(exporter.Host), fmt.Sprint(exporter.Port)), nil
			}
		}
	}
	return "", errNoPage
}

// reachable returns the host for connecting to a server that may listen on all addresses. IPv6 addresses
// are configured with and without brackets.
func reachable(host string) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if host == "" || net.ParseIP(host).IsUnspecified() {
		return "localhost"
	}
	return host
}

// needsPods reports whether a pipeline reads pods from the Kubernetes API.
func (s *collectorSettings) needsPods() bool {
	for _, pipeline := range s.Service.Pipelines {
		for _, id := range pipeline.Processors {
			settings, _ := s.processors[id].(map[string]any)
			passthrough, _ := settings["passthrough"].(bool) // leaves the look-up of pods to another collector
			kind, _, _ := strings.Cut(id, "/")
			if (kind == "k8s_attributes" || kind == "k8sattributes") && !passthrough {
				return true
			}
		}
	}
	return false
}

// spills reports whether a pipeline keeps on disk what its exporters cannot send.
func (s *collectorSettings) spills() bool {
	for _, pipeline := range s.Service.Pipelines {
		for _, id := range pipeline.Exporters {
			if kind, _, _ := strings.Cut(id, "/"); kind == "spillover" {
				return true
			}
		}
	}
	return false
}
