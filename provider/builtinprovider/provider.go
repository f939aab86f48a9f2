// SPDX-License-Identifier: Apache-2.0

// Package builtinprovider provides the configurations embedded in the binary, which are the files of
// package configs: `otelcol-tc --config builtin:dev`.
//
// A built-in configuration merges with other configurations like any file, and later ones win: `--config
// builtin:dev --config my.yaml`. The scheme has more than one letter, because the resolver takes one
// letter and a colon for a Windows drive.
package builtinprovider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/configs"
)

const (
	scheme    = "builtin"
	extension = ".yaml"
)

// NewFactory returns a factory for the provider of scheme "builtin", whose URIs
// have the form
//
//	builtin:<name>
//
// where <name>.yaml is a file of package configs.
func NewFactory() confmap.ProviderFactory {
	return confmap.NewProviderFactory(func(confmap.ProviderSettings) confmap.Provider {
		return provider{files: configs.FS}
	})
}

// provider is immutable, so it is safe for concurrent use.
type provider struct {
	files fs.FS
}

// Retrieve returns the embedded configuration that uri names. It never calls the watcher, because the
// files cannot change while the process runs.
func (p provider) Retrieve(_ context.Context, uri string, _ confmap.WatcherFunc) (*confmap.Retrieved, error) {
	name, ok := strings.CutPrefix(uri, scheme+":")
	if !ok {
		return nil, fmt.Errorf("%q uri is not supported by %q provider", uri, scheme)
	}
	known, err := p.names()
	if err != nil {
		return nil, err
	}
	content, err := fs.ReadFile(p.files, name+extension)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid):
		return nil, fmt.Errorf("unknown built-in configuration %q, known: %s", name, strings.Join(known, ", "))
	case err != nil:
		return nil, fmt.Errorf("read built-in configuration %q: %w", name, err)
	}
	return confmap.NewRetrievedFromYAML(content)
}

// names returns the known configurations, and after them the fragments that can be merged over them.
func (p provider) names() ([]string, error) {
	var files []string
	for _, pattern := range []string{"*" + extension, "fragments/*" + extension} {
		found, err := fs.Glob(p.files, pattern)
		if err != nil {
			return nil, fmt.Errorf("list built-in configurations: %w", err)
		}
		files = append(files, found...)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, extension)
	}
	return files, nil
}

// Scheme returns the scheme of the URIs that Retrieve understands.
func (provider) Scheme() string { return scheme }

// Shutdown has nothing to release.
func (provider) Shutdown(context.Context) error { return nil }
