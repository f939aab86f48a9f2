package doctor

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/otelcol"
	"go.yaml.in/yaml/v3"
)

// configuration is what the rules look at.
type configuration struct {
	*otelcol.Config
	factories otelcol.Factories
	sources   *sources

	// The merged settings, before variables and included texts are put in and after.
	written, resolved *confmap.Conf

	pipelines []*pipeline
}

// defaultScheme is that of ${NAME}, as the collector has it.
const defaultScheme = "env"

// load reads a configuration as the collector does. With an error the configuration has what
// could be read up to it: Config is nil then, and written may be.
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

// explain adds the name of the file that is not YAML to the resolver's error.
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
