package doctor

import (
	"context"
	"os"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// recorder keeps what the collector's own providers return, so that lines are found in the
// very text that the values came from. It is not safe for concurrent use, as the resolver
// is not.
type recorder struct {
	retrieved map[string]*confmap.Retrieved // by URI
	unset     map[string]bool               // variables asked for that have neither value nor default
}

func newRecorder() *recorder {
	return &recorder{retrieved: map[string]*confmap.Retrieved{}, unset: map[string]bool{}}
}

// wrap returns factories of the same providers whose results are kept.
func (r *recorder) wrap(factories []confmap.ProviderFactory) []confmap.ProviderFactory {
	wrapped := make([]confmap.ProviderFactory, len(factories))
	for i, factory := range factories {
		wrapped[i] = confmap.NewProviderFactory(func(set confmap.ProviderSettings) confmap.Provider {
			return recordingProvider{Provider: factory.Create(set), recorder: r}
		})
	}
	return wrapped
}

// text returns what was read from a URI. One that gave no text, or was not read, has none.
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

// Retrieve asks each URI once: the configuration is resolved twice, and both times must be
// of the same text.
func (p recordingProvider) Retrieve(ctx context.Context, uri string, _ confmap.WatcherFunc) (*confmap.Retrieved, error) {
	if name, ok := strings.CutPrefix(uri, "env:"); ok && !strings.Contains(name, ":-") {
		if _, set := os.LookupEnv(name); !set {
			p.recorder.unset[name] = true
		}
	}
	if known, ok := p.recorder.retrieved[uri]; ok {
		return known, nil
	}
	// Without a watcher: nobody waits for changes here.
	retrieved, err := p.Provider.Retrieve(ctx, uri, nil)
	if err == nil {
		p.recorder.retrieved[uri] = retrieved
	}
	return retrieved, err
}
