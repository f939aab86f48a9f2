// SPDX-License-Identifier: Apache-2.0

// Package source finds settings in the texts of a configuration. It records what the collector's providers return, and
// returns the text and the line that set a setting.
package source

import (
	"context"
	"os"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

// Sources are the texts of a configuration. Like the resolver, they are not safe for concurrent use.
type Sources struct {
	// URIs are those of the command line, with a scheme. Later ones are merged over earlier ones.
	URIs []string
	// Unset are the requested variables without a value or default.
	Unset map[string]bool

	retrieved map[string]*confmap.Retrieved // by URI, with those of included texts
	parsed    map[string]*yaml.Node         // by URI; nil for a text without settings
	indices   map[*yaml.Node]map[string][]int
}

// New returns the sources of the values of --config.
func New(configs []string) *Sources {
	s := &Sources{Unset: map[string]bool{}, retrieved: map[string]*confmap.Retrieved{}, parsed: map[string]*yaml.Node{}, indices: map[*yaml.Node]map[string][]int{}}
	for _, config := range configs {
		s.URIs = append(s.URIs, cli.URI(config))
	}
	return s
}

// Wrap returns factories of the same providers that record their results.
func (s *Sources) Wrap(factories []confmap.ProviderFactory) []confmap.ProviderFactory {
	wrapped := make([]confmap.ProviderFactory, len(factories))
	for i, factory := range factories {
		wrapped[i] = confmap.NewProviderFactory(func(set confmap.ProviderSettings) confmap.Provider {
			return recordingProvider{Provider: factory.Create(set), sources: s}
		})
	}
	return wrapped
}

// text returns the text that was read from a URI, if any.
func (s *Sources) text(uri string) (string, bool) {
	retrieved, ok := s.retrieved[uri]
	if !ok {
		return "", false
	}
	text, err := retrieved.AsString()
	return text, err == nil
}

type recordingProvider struct {
	confmap.Provider
	sources *Sources
}

// Retrieve reads each URI once. The configuration is resolved twice, and both times must see the same
// text.
func (p recordingProvider) Retrieve(ctx context.Context, uri string, _ confmap.WatcherFunc) (*confmap.Retrieved, error) {
	if name, ok := strings.CutPrefix(uri, "env:"); ok && !strings.Contains(name, ":-") {
		if _, set := os.LookupEnv(name); !set {
			p.sources.Unset[name] = true
		}
	}
	if known, ok := p.sources.retrieved[uri]; ok {
		return known, nil
	}
	// No watcher, because the command does not wait for changes.
	retrieved, err := p.Provider.Retrieve(ctx, uri, nil)
	if err == nil {
		p.sources.retrieved[uri] = retrieved
	}
	return retrieved, err
}
