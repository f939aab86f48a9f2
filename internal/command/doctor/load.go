// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
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
	// templates are the paths of settings whose values are unknown here.
	templates map[string]bool
	// faults are the settings that this distribution cannot read.
	faults []fault

	pipelines []*pipeline
}

// fault is a setting that the collector refuses.
type fault struct {
	path []string
	text string
}

// defaultScheme is the collector's scheme for ${NAME}.
const defaultScheme = "env"

// load reads a configuration as the collector does, but continues after a component that it cannot read. With an
// error it returns what could be read: Config is nil, and written may be nil.
func load(ctx context.Context, factories otelcol.Factories, providers []confmap.ProviderFactory, uris []string) (*configuration, error) {
	recorder := newRecorder()
	for i, uri := range uris {
		uris[i] = withScheme(uri)
	}
	c := &configuration{factories: factories, sources: newSources(recorder, uris)}
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:              uris,
		ProviderFactories: recorder.wrap(providers),
		DefaultScheme:     defaultScheme,
	})
	if err != nil {
		return c, err
	}
	c.resolved, err = resolver.Resolve(ctx)
	c.written = resolver.UnexpandedConf()
	if err != nil {
		return c, c.sources.explain(err)
	}
	c.findTemplates()
	c.decode()
	c.connect()
	return c, nil
}

// placeholder matches an expression of a template language, such as Helm's.
var placeholder = regexp.MustCompile(`\{\{.*\}\}`)

// findTemplates finds the settings whose values are unknown here: they refer to a variable that is not set, or are
// to be filled in by a template language. It removes them, so that they have their defaults, and no rule reports
// them. It cannot remove items of lists.
func (c *configuration) findTemplates() {
	c.templates = map[string]bool{}
	walkTexts(c.written.ToStringMap(), nil, func(path []string, text string) {
		unset := func(variable string) bool { return refersTo(text, variable) }
		if placeholder.MatchString(text) || slices.ContainsFunc(slices.Collect(maps.Keys(c.sources.recorder.unset)), unset) {
			c.templates[setting(path)] = true
			c.remove(path)
		}
	})
}

// remove removes a setting. The settings around it stay, because a protocol without settings is one that runs.
func (c *configuration) remove(path []string) {
	if !c.resolved.Delete(setting(path)) || len(path) == 1 {
		return
	}
	around := map[string]any{}
	for _, key := range slices.Backward(path[:len(path)-1]) {
		around = map[string]any{key: around}
	}
	if err := c.resolved.Merge(confmap.NewFromStringMap(around)); err != nil {
		c.faults = append(c.faults, fault{path, err.Error()})
	}
}

// isTemplate reports whether the value of a setting, or of one around it, is unknown here.
func (c *configuration) isTemplate(path []string) bool {
	for depth := range len(path) {
		if c.templates[setting(path[:depth+1])] {
			return true
		}
	}
	return false
}

// hasTemplate reports whether a value below a setting is unknown here.
func (c *configuration) hasTemplate(path []string) bool {
	for template := range c.templates {
		if strings.HasPrefix(template, setting(path)+confmap.KeyDelimiter) {
			return true
		}
	}
	return false
}

// opaque is the configuration of a component whose settings cannot be read. It has no settings.
type opaque struct{}

// decode reads the merged settings as the collector does.
func (c *configuration) decode() {
	c.Config = &otelcol.Config{
		Receivers:  decodeSection(c, receivers, c.factories.Receivers),
		Processors: decodeSection(c, processors, c.factories.Processors),
		Exporters:  decodeSection(c, exporters, c.factories.Exporters),
		Connectors: decodeSection(c, connectors, c.factories.Connectors),
		Extensions: decodeSection(c, extensions, c.factories.Extensions),
	}
	if len(c.written.ToStringMap()) == 0 {
		c.faults = append(c.faults, fault{nil, "the configuration is empty"})
	}
	known := []string{receivers, processors, exporters, connectors, extensions, "service"}
	for _, key := range slices.Sorted(maps.Keys(c.resolved.ToStringMap())) {
		if !slices.Contains(known, key) {
			c.faults = append(c.faults, fault{[]string{key}, fmt.Sprintf("%s is no section of a configuration", key)})
		}
	}
	service, err := c.resolved.Sub("service")
	if err != nil {
		c.addFaults([]string{"service"}, err)
		return
	}
	if telemetry, err := service.Sub("telemetry"); err != nil {
		c.addFaults([]string{"service", "telemetry"}, err)
	} else {
		c.check([]string{"service", "telemetry"}, telemetry, c.factories.Telemetry.CreateDefaultConfig())
	}
	service.Delete("telemetry") // of the copy
	if err := service.Unmarshal(&c.Service); err != nil {
		c.addFaults([]string{"service"}, err)
	}
	c.checkReferences()
}

// decodeSection reads the components of a section.
func decodeSection[F component.Factory](c *configuration, section string, factories map[component.Type]F) map[component.ID]component.Config {
	all := map[component.ID]component.Config{}
	conf, err := c.resolved.Sub(section)
	if err != nil {
		c.addFaults([]string{section}, err)
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(conf.ToStringMap())) {
		path := []string{section, name}
		var id component.ID
		if err := id.UnmarshalText([]byte(name)); err != nil {
			c.addFaults(path, err)
			continue
		}
		all[id] = opaque{}
		factory, ok := factories[id.Type()]
		if !ok {
			continue
		}
		settings, err := conf.Sub(name)
		if err != nil {
			c.addFaults(path, err)
			continue
		}
		if config := factory.CreateDefaultConfig(); c.check(path, settings, config) {
			all[id] = config
		}
	}
	return all
}

// check reads settings into a configuration and reports whether that was possible. Faults of settings that are
// incomplete because of templates are not recorded.
func (c *configuration) check(path []string, settings *confmap.Conf, into component.Config) bool {
	err := settings.Unmarshal(&into)
	readable := err == nil
	if readable {
		err = confmap.Validate(into)
	}
	if err != nil && !c.hasTemplate(path) {
		c.addFaults(path, err)
	}
	return readable
}

// checkReferences checks what the service refers to.
func (c *configuration) checkReferences() {
	for _, id := range c.Service.Extensions {
		if c.Extensions[id] == nil {
			c.faults = append(c.faults, fault{[]string{"service", "extensions", id.String()}, fmt.Sprintf("extensions::%s is not declared", id)})
		}
	}
	for id, p := range c.Service.Pipelines {
		path := []string{"service", "pipelines", id.String()}
		if p == nil {
			c.faults = append(c.faults, fault{path, fmt.Sprintf("pipeline %q has no receivers and no exporters", id)})
			continue
		}
		if err := p.Validate(); err != nil {
			c.faults = append(c.faults, fault{path, fmt.Sprintf("pipeline %q %v", id, err)})
		}
		for section, ids := range map[string][]component.ID{receivers: p.Receivers, processors: p.Processors, exporters: p.Exporters} {
			declared := map[string]map[component.ID]component.Config{receivers: c.Receivers, processors: c.Processors, exporters: c.Exporters}[section]
			for _, of := range ids {
				if declared[of] == nil && (section == processors || c.Connectors[of] == nil) {
					c.faults = append(c.faults, fault{below(path, section, of.String()), fmt.Sprintf("%s::%s in pipeline %q is not declared", section, of, id)})
				}
			}
		}
	}
}

var (
	// A setting that cannot be read: 'protocols.grpc' has invalid keys: foo.
	decodeError = regexp.MustCompile(`^'([^']*)' (?:has invalid keys: ([^\s,]+))?`)
	// The decoder names the outermost settings by their type in Go.
	goType = regexp.MustCompile(`^(?:\w+\.[A-Z]\w*|struct \{.*)$`)
	// A setting whose value is refused, as in "protocols::grpc: must be …".
	validateError = regexp.MustCompile(`^([a-z0-9_]+(?:::[^:\s]+)*): `)
)

// addFaults records the lines of an error below a path. It leaves out files that exist only where the collector
// will run.
func (c *configuration) addFaults(path []string, err error) {
	outer := path
	for line := range strings.SplitSeq(err.Error(), "\n") {
		line = strings.TrimSpace(line)
		if around, nested := strings.CutSuffix(line, "decoding failed due to the following error(s):"); nested {
			if around = strings.Trim(around, "' "); around != "" {
				outer = below(outer, around)
			}
			continue
		}
		if line == "" || strings.Contains(line, "no such file or directory") {
			continue
		}
		at := path
		if match := decodeError.FindStringSubmatch(line); match != nil {
			if goType.MatchString(match[1]) {
				line = strings.TrimPrefix(line, "'"+match[1]+"' ")
			} else {
				at = below(at, strings.Split(match[1], ".")...)
			}
			if match[2] != "" {
				at = below(at, match[2])
			}
			if inner := slices.Concat(outer, at[len(path):]); len(outer) > len(path) {
				if _, found := c.sources.exact(inner); found {
					at = inner
				}
			}
		} else if match := validateError.FindStringSubmatch(line); match != nil {
			at = below(at, strings.Split(match[1], confmap.KeyDelimiter)...)
		}
		c.faults = append(c.faults, fault{at, setting(path) + ": " + line})
	}
}

// explain names the file, the line and the key of what is not valid YAML in the resolver's error.
func (s *sources) explain(err error) error {
	for _, uri := range s.uris {
		text, ok := s.recorder.text(uri)
		if !ok {
			continue
		}
		var content any
		if fault := yaml.Unmarshal([]byte(text), &content); fault != nil {
			return explainYAML(displayName(uri), text, fault)
		}
		if _, mapping := content.(map[string]any); !mapping && content != nil {
			return fmt.Errorf("%s: a configuration must be a mapping (got %T)", displayName(uri), content)
		}
	}
	text := err.Error()
	for _, uri := range s.uris {
		if strings.HasPrefix(uri, "http") { // its query can have a token
			text = strings.ReplaceAll(text, uri, displayName(uri))
		}
	}
	if text != err.Error() {
		return errors.New(text)
	}
	return err
}
