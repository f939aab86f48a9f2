// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/settings"
)

// Own is the settings of a component that the conventions extension has too. Those that are not set have
// their zero values.
type Own struct {
	// Mode is the component's own mode. It applies to all services, whatever the extension says.
	Mode   string   `mapstructure:"mode"`
	Packs  Packs    `mapstructure:"packs"`
	Prefix string   `mapstructure:"prefix"`
	Exempt []string `mapstructure:"exempt"`
}

// Extension is what the conventions extension implements.
type Extension interface {
	component.Component
	Policy() *Policy
}

// For returns the policy of a component: that of the conventions extension, or one of the component's own
// settings without such an extension. An own setting that differs from the extension's is an error, which
// names the setting and both values.
func For(host component.Host, own Own) (*Policy, error) {
	id, extension, err := Find(host)
	if err != nil {
		return nil, err
	}
	var p *Policy
	if extension == nil {
		p, err = own.policy()
	} else {
		p = extension.Policy()
		err = own.compare(id, &p.config)
	}
	if err != nil {
		return nil, err
	}
	if own.Mode != "" {
		return p.inMode(own.Mode == settings.Audit), nil
	}
	return p, nil
}

// Find returns the conventions extension of the service, or nil without one. Two are an error.
func Find(host component.Host) (component.ID, Extension, error) {
	found := map[component.ID]Extension{}
	var ids []component.ID
	for id, e := range host.GetExtensions() {
		if extension, ok := e.(Extension); ok {
			found[id] = extension
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return component.ID{}, nil, nil
	}
	return ids[0], found[ids[0]], atMostOne(ids)
}

// atMostOne returns an error for several conventions extensions of the service.
func atMostOne(ids []component.ID) error {
	if len(ids) < 2 {
		return nil
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	slices.Sort(names)
	return fmt.Errorf("service::extensions: must have at most one conventions extension (got %s)", strings.Join(names, ", "))
}

// policy returns the policy of a component without the extension.
func (o Own) policy() (*Policy, error) {
	c := NewDefaultConfig()
	o.ApplyTo(c)
	return New(*c)
}

// ApplyTo replaces the settings of a configuration that the component has set itself.
func (o Own) ApplyTo(c *Config) {
	c.Mode = cmp.Or(o.Mode, c.Mode)
	if len(o.Packs) > 0 {
		c.Packs = o.Packs
	}
	c.Prefix = cmp.Or(o.Prefix, c.Prefix)
	if o.Exempt != nil {
		c.Exempt = o.Exempt
	}
}

// compare returns an error for the first own setting that differs from the extension's.
func (o Own) compare(id component.ID, c *Config) error {
	differs := func(key string, own, extension any) error {
		return fmt.Errorf("%s: must be that of the extension %q, or not set (got %v, and the extension has %v)", key, id, own, extension)
	}
	switch {
	case len(o.Packs) > 0 && !reflect.DeepEqual([]any(o.Packs), c.packs()):
		return differs("packs", o.Packs, c.packs())
	case o.Prefix != "" && o.Prefix != c.Prefix:
		return differs("prefix", o.Prefix, c.Prefix)
	case o.Exempt != nil && !slices.Equal(o.Exempt, c.Exempt):
		return differs("exempt", o.Exempt, c.Exempt)
	}
	return nil
}

// packs returns the list of packs, which an empty setting stands for too.
func (c *Config) packs() []any {
	if len(c.Packs) == 0 {
		return []any{conventions.Builtins}
	}
	return c.Packs
}
