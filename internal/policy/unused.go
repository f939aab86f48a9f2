// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

var extensionType = component.MustNewType("conventions")

// checkExtensions returns an error for two conventions extensions of the service, and for each that the service
// does not have although its settings would change something. A list of extensions that is merged over that of
// a profile replaces it, and components would then go by the defaults without a word: mode: audit would change
// data.
func checkExtensions(conf *confmap.Conf) error {
	used := usedExtensions(conf)
	faults := []error{atMostOne(used)}
	extensions, _ := conf.Get("extensions").(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(extensions)) {
		id, ok := extensionID(key)
		cfg, _ := extensionConfig(conf, key) // the collector reports what cannot be read
		if ok && !slices.Contains(used, id) && !cfg.isDefault() {
			faults = append(faults, fmt.Errorf("extensions::%s: must be in service::extensions, or its settings have no effect (got %v there)",
				id, conf.Get("service"+confmap.KeyDelimiter+"extensions")))
		}
	}
	return errors.Join(faults...)
}

// usedExtensions returns the conventions extensions that the service has.
func usedExtensions(conf *confmap.Conf) (ids []component.ID) {
	list, _ := conf.Get("service" + confmap.KeyDelimiter + "extensions").([]any)
	for _, name := range list {
		if text, ok := name.(string); ok {
			if id, ok := extensionID(text); ok {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func extensionID(text string) (id component.ID, ok bool) {
	err := id.UnmarshalText([]byte(text))
	return id, err == nil && id.Type() == extensionType
}

// Used returns the settings of the conventions extension that the service has, or the defaults.
func Used(conf *confmap.Conf) (*Config, error) {
	used := usedExtensions(conf)
	if len(used) == 0 {
		return NewDefaultConfig(), nil
	}
	cfg, err := extensionConfig(conf, used[0].String())
	if err != nil {
		return nil, fmt.Errorf("extensions::%s: %w", used[0], err)
	}
	return cfg, nil
}

// extensionConfig returns the settings of a conventions extension. With an error, what cannot be read has its default.
func extensionConfig(conf *confmap.Conf, key string) (*Config, error) {
	cfg := NewDefaultConfig()
	sub, err := conf.Sub("extensions" + confmap.KeyDelimiter + key)
	if err == nil {
		err = sub.Unmarshal(cfg)
	}
	return cfg, err
}

// isDefault reports whether the settings are those that apply without the extension.
func (c *Config) isDefault() bool {
	effective := *c
	effective.Packs, effective.Content.Default = c.packs(), cmp.Or(c.Content.Default, content.Redact)
	effective.CopiedAttributes = cmp.Or(c.CopiedAttributes, KeepOriginals)
	if len(c.Services) == 0 {
		effective.Services = nil
	}
	if len(c.Owners) == 0 {
		effective.Owners = nil
	}
	defaults := NewDefaultConfig()
	defaults.Content.Default = content.Redact
	return reflect.DeepEqual(&effective, defaults)
}
