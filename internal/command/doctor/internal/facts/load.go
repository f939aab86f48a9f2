// SPDX-License-Identifier: Apache-2.0

// Package facts reads a configuration as the collector does, and knows its components with their settings, and how its
// pipelines pass data on. It reads also configurations of other distributions.
package facts

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/service"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/source"
)

// Configuration is a configuration that was read.
type Configuration struct {
	Sources    *source.Sources
	Components []*Component // by section and name
	Pipelines  []*Pipeline  // by name
	// Merged are the settings that files set, with the values of variables.
	Merged *confmap.Conf
	// Faults are the settings that this distribution cannot read.
	Faults []Fault
	mutex  sync.Mutex // of Faults, while components are read

	service   service.Config
	byName    map[string]*Component // by section and name
	templates map[string]*template  // by the name of the setting, also of those around unknown ones
}

// template is what is known of a setting with unknown values.
type template struct {
	unknown bool       // whether it has no known value itself
	inner   [][]string // the paths of the unknown values in it
}

// Fault is a setting that the collector refuses.
type Fault struct {
	Path []string
	Text string
}

// Load reads a configuration as the collector does, by providers whose values are recorded, but continues after a
// component that it cannot read. With an error only Sources is set.
func Load(ctx context.Context, factories otelcol.Factories, providers []confmap.ProviderFactory, values *cli.Values, configs []string) (*Configuration, error) {
	c := &Configuration{Sources: source.New(configs, values), byName: map[string]*Component{}, templates: map[string]*template{}}
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:              c.Sources.URIs,
		ProviderFactories: providers,
		DefaultScheme:     "env", // that of ${NAME}
	})
	if err != nil {
		return c, err
	}
	c.Merged, err = resolver.Resolve(ctx)
	if err != nil {
		return c, c.Sources.Explain(err)
	}
	sections := namesOf(c.Merged)
	if len(sections) == 0 {
		c.fault(nil, "the configuration is empty")
	}
	if unset := c.Sources.Unset(); len(unset) > 0 || c.Sources.HasTemplates() {
		c.findTemplates(resolver.UnexpandedConf().ToStringMap(), nil, unset)
	}
	c.decode(factories, sections)
	c.connect()
	return c, nil
}

// namesOf returns the sections of a configuration with the names in them, from its keys: a copy of all settings takes
// long.
func namesOf(config *confmap.Conf) map[string][]string {
	sections := map[string][]string{}
	for _, key := range config.AllKeys() {
		section, below, hasNames := strings.Cut(key, confmap.KeyDelimiter)
		names := sections[section]
		if name, _, _ := strings.Cut(below, confmap.KeyDelimiter); hasNames && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
		sections[section] = names
	}
	return sections
}

// fault records a fault. It is safe for concurrent use.
func (c *Configuration) fault(path []string, format string, args ...any) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.Faults = append(c.Faults, Fault{path, fmt.Sprintf(format, args...)})
}

// findTemplates finds the settings whose values are unknown here: they refer to a variable that is not set, or are
// to be filled in by a template language.
func (c *Configuration) findTemplates(value any, path []string, unset map[string]bool) {
	switch value := value.(type) {
	case string:
		if source.Template.MatchString(value) || slices.ContainsFunc(source.Variables(value), func(name string) bool { return unset[name] }) {
			c.addTemplate(path)
		}
	case []any:
		for i, item := range value {
			c.findTemplates(item, Below(path, strconv.Itoa(i)), unset)
		}
	case map[string]any:
		for key, inner := range value {
			c.findTemplates(inner, Below(path, key), unset)
		}
	}
}

func (c *Configuration) addTemplate(path []string) {
	for depth := range len(path) {
		name := Name(path[:depth+1])
		if c.templates[name] == nil {
			c.templates[name] = &template{}
		}
		c.templates[name].inner = append(c.templates[name].inner, path)
	}
	c.templates[Name(path)].unknown = true
}

// removeTemplates removes the settings below a path whose values are unknown here, so that they have their defaults,
// and no rule reports them. The settings around them stay, because a protocol without settings is one that runs. It
// cannot remove items of lists.
func (c *Configuration) removeTemplates(settings *confmap.Conf, path []string) {
	unknown := c.templates[Name(path)]
	if unknown == nil {
		return
	}
	for _, inner := range unknown.inner {
		rest := inner[len(path):]
		if len(rest) == 0 || !settings.Delete(Name(rest)) {
			continue
		}
		around := map[string]any{}
		for _, key := range slices.Backward(rest[:len(rest)-1]) {
			around = map[string]any{key: around}
		}
		if err := settings.Merge(confmap.NewFromStringMap(around)); err != nil {
			c.fault(inner, "%v", err)
		}
	}
}

// IsTemplate reports whether the value of a setting, or of one around it, is unknown here.
func (c *Configuration) IsTemplate(path []string) bool {
	for depth := range len(path) {
		if setting := c.templates[Name(path[:depth+1])]; setting != nil && setting.unknown {
			return true
		}
	}
	return false
}

// decode reads the merged settings as the collector does.
func (c *Configuration) decode(factories otelcol.Factories, sections map[string][]string) {
	decodeSection(c, sections, Extensions, factories.Extensions)
	decodeSection(c, sections, Receivers, factories.Receivers)
	decodeSection(c, sections, Processors, factories.Processors)
	decodeSection(c, sections, Exporters, factories.Exporters)
	decodeSection(c, sections, Connectors, factories.Connectors)
	known := []string{Receivers, Processors, Exporters, Connectors, Extensions, "service"}
	for _, key := range slices.Sorted(maps.Keys(sections)) {
		if !slices.Contains(known, key) {
			c.fault([]string{key}, "%s is no section of a configuration", key)
		}
	}
	settings, err := c.Merged.Sub("service")
	if err != nil {
		c.addFaults([]string{"service"}, err)
		return
	}
	if telemetry, err := settings.Sub("telemetry"); err != nil {
		c.addFaults([]string{"service", "telemetry"}, err)
	} else {
		c.check([]string{"service", "telemetry"}, telemetry, factories.Telemetry.CreateDefaultConfig())
	}
	settings.Delete("telemetry") // of the copy
	c.removeTemplates(settings, []string{"service"})
	if err := settings.Unmarshal(&c.service); err != nil {
		c.addFaults([]string{"service"}, err)
	}
}

// noSettings is the configuration of a component whose settings cannot be read.
type noSettings struct{}

func decodeSection[F component.Factory](c *Configuration, sections map[string][]string, section string, factories map[component.Type]F) {
	if c.IsTemplate([]string{section}) {
		return
	}
	names := sections[section]
	if len(names) == 0 { // or they are in a text that is included
		included, err := c.Merged.Sub(section)
		if err != nil {
			c.addFaults([]string{section}, err)
			return
		}
		names = slices.Collect(maps.Keys(namesOf(included)))
	}
	slices.Sort(names)
	var reads []func()
	for _, name := range names {
		d := &Component{Section: section}
		if err := d.ID.UnmarshalText([]byte(name)); err != nil {
			c.addFaults([]string{section, name}, err)
			continue
		}
		d.Type = d.ID.Type()
		factory, known := factories[d.Type]
		if known {
			d.Type, d.Known = factory.Type(), true
		}
		reads = append(reads, func() { c.readSettings(d, Name([]string{section, name}), factory) })
		c.Components = append(c.Components, d)
		c.byName[Name(d.Path())] = d
	}
	var group sync.WaitGroup
	for part := range slices.Chunk(reads, len(reads)/runtime.GOMAXPROCS(0)+1) {
		group.Go(func() {
			for _, read := range part {
				read()
			}
		})
	}
	group.Wait()
}

// readSettings reads the settings of a component, which have a name among the merged ones. It is safe for concurrent use.
func (c *Configuration) readSettings(declared *Component, name string, factory component.Factory) {
	var config component.Config = noSettings{}
	if declared.Known {
		settings, err := c.Merged.Sub(name) // a copy of the whole section takes long
		if c.IsTemplate(declared.Path()) {
			settings, err = confmap.New(), nil
		}
		if err != nil {
			c.addFaults(declared.Path(), err)
		} else if read := factory.CreateDefaultConfig(); c.check(declared.Path(), settings, read) {
			config, declared.Readable = read, true
		}
	}
	declared.Levels = levelsOf(config, declared.Path())
}

// check reads settings into a configuration and reports whether that was possible. Faults of settings that are
// incomplete because of templates are not recorded.
func (c *Configuration) check(path []string, settings *confmap.Conf, into component.Config) bool {
	c.removeTemplates(settings, path)
	err := settings.Unmarshal(&into)
	readable := err == nil
	if readable {
		err = confmap.Validate(into)
	}
	if err != nil && c.templates[Name(path)] == nil {
		c.addFaults(path, err)
	}
	return readable
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
func (c *Configuration) addFaults(path []string, err error) {
	outer := path
	for line := range strings.SplitSeq(err.Error(), "\n") {
		line = strings.TrimSpace(line)
		if around, nested := strings.CutSuffix(line, "decoding failed due to the following error(s):"); nested {
			if around = strings.Trim(around, "' "); around != "" {
				outer = Below(outer, around)
			}
			continue
		}
		if line == "" || strings.Contains(line, "no such file or directory") {
			continue
		}
		place := path
		if match := decodeError.FindStringSubmatch(line); match != nil {
			if goType.MatchString(match[1]) {
				line = strings.TrimPrefix(line, "'"+match[1]+"' ")
			} else {
				place = Below(place, strings.Split(match[1], ".")...)
			}
			if match[2] != "" {
				place = Below(place, match[2])
			}
			inner := slices.Concat(outer, place[len(path):])
			if len(outer) > len(path) && c.isWritten(inner) {
				place = inner
			}
		} else if match := validateError.FindStringSubmatch(line); match != nil {
			place = Below(place, strings.Split(match[1], confmap.KeyDelimiter)...)
		}
		c.fault(place, "%s: %s", Name(path), line)
	}
}

// isWritten reports whether a text sets a setting. It is safe for concurrent use.
func (c *Configuration) isWritten(path []string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_, found := c.Sources.Exact(path)
	return found
}

// Name formats a path like the collector's errors.
func Name(path []string) string { return strings.Join(path, confmap.KeyDelimiter) }

// Below appends to a path without sharing memory with it.
func Below(path []string, names ...string) []string {
	return slices.Concat(path, names)
}
