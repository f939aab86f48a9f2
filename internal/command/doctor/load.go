package doctor

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/otelcol"
	"go.yaml.in/yaml/v3"
)

// configuration is the configuration that the rules check.
type configuration struct {
	*otelcol.Config
	factories otelcol.Factories
	sources   *sources

	// The merged settings before and after the resolution of variables and included files.
	written, resolved *confmap.Conf

	pipelines []*pipeline
}

// defaultScheme is the collector's scheme for ${NAME}.
const defaultScheme = "env"

// load reads a configuration as the collector does. With an error it returns what could be read: Config is
// nil, and written may be nil.
func load(ctx context.Context, factories otelcol.Factories, providers []confmap.ProviderFactory, uris []string) (*configuration, error) {
	recorder := newRecorder()
	for i, uri := range uris {
		uris[i] = withScheme(uri)
	}
	c := &configuration{factories: factories, sources: newSources(recorder, uris)}
	resolverSettings := confmap.ResolverSettings{
		URIs:              uris,
		ProviderFactories: recorder.wrap(providers),
		DefaultScheme:     defaultScheme,
	}
	resolver, err := confmap.NewResolver(resolverSettings)
	if err != nil {
		return c, err
	}
	c.resolved, err = resolver.Resolve(ctx)
	c.written = resolver.UnexpandedConf()
	if err != nil {
		return c, c.sources.explain(err)
	}
	provider, err := otelcol.NewConfigProvider(otelcol.ConfigProviderSettings{ResolverSettings: resolverSettings})
	if err != nil {
		return c, err
	}
	c.Config, err = provider.Get(ctx, factories)
	if err != nil {
		return c, err
	}
	c.connect()
	return c, nil
}

// explain adds the name of the file that is not valid YAML to the resolver's error.
func (s *sources) explain(err error) error {
	for _, uri := range s.uris {
		text, ok := s.recorder.text(uri)
		if !ok {
			continue
		}
		var content any
		if fault := yaml.Unmarshal([]byte(text), &content); fault != nil {
			return fmt.Errorf("%s: %w", displayName(uri), fault)
		}
		if _, mapping := content.(map[string]any); !mapping && content != nil {
			return fmt.Errorf("%s: a configuration must be a mapping (got %T)", displayName(uri), content)
		}
	}
	return err
}
