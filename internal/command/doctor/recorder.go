// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"os"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// recorder records the texts that the collector's providers return, so that lines are found in the text
// that the values came from. Like the resolver, it is not safe for concurrent use.
type recorder struct {
	retrieved map[string]*confmap.Retrieved // by URI
	unset     map[string]bool               // requested variables without a value or default
}

func newRecorder() *recorder {
	return &recorder{retrieved: map[string]*confmap.Retrieved{}, unset: map[string]bool{}}
}

// wrap returns factories of the same providers that record their results.
func (r *recorder) wrap(factories []confmap.ProviderFactory) []confmap.ProviderFactory {
	wrapped := make([]confmap.ProviderFactory, len(factories))
	for i, factory := range factories {
		wrapped[i] = confmap.NewProviderFactory(func(set confmap.ProviderSettings) confmap.Provider {
			return recordingProvider{Provider: factory.Create(set), recorder: r}
		})
	}
	return wrapped
}

// text returns the text that was read from a URI, if any.
func (r *recorder) text(uri string) (string, bool) {
	retrieved, ok := r.retrieved[uri]
	if !ok {
		return "", false
	}
	text, err := retrieved.AsString()
	return text, err == nil
}

type recordingProvider struct {
	confmap.Provider
	recorder *recorder
}

// Retrieve reads each URI once. The configuration is resolved twice, and both times must see the same
// text.
func (p recordingProvider) Retrieve(ctx context.Context, uri string, _ confmap.WatcherFunc) (*confmap.Retrieved, error) {
	if name, ok := strings.CutPrefix(uri, "env:"); ok && !strings.Contains(name, ":-") {
		if _, set := os.LookupEnv(name); !set {
			p.recorder.unset[name] = true
		}
	}
	if known, ok := p.recorder.retrieved[uri]; ok {
		return known, nil
	}
	// No watcher, because the command does not wait for changes.
	retrieved, err := p.Provider.Retrieve(ctx, uri, nil)
	if err == nil {
		p.recorder.retrieved[uri] = retrieved
	}
	return retrieved, err
}
