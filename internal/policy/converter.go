// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// NewConverterFactory returns a converter that changes nothing. It returns an error for settings that would have
// no effect, because the service does not have their conventions extension, and for two such extensions. It also
// returns one for own rules of processors that read what the packs of the extension hide. The processors find
// that when they start, because only then they know the extension; with the converter, the command validate
// finds it too.
func NewConverterFactory() confmap.ConverterFactory {
	return confmap.NewConverterFactory(func(confmap.ConverterSettings) confmap.Converter { return converter{} })
}

type converter struct{}

// linking are the types of processors with a setting rules.
var linking = []component.Type{component.MustNewType("span_link"), component.MustNewType("log_correlation")}

// Convert implements confmap.Converter. What it cannot read, others report.
func (converter) Convert(_ context.Context, conf *confmap.Conf) error {
	return errors.Join(checkExtensions(conf), checkRules(conf))
}

// checkRules returns an error for the own rules of each processor that read what packs hide.
func checkRules(conf *confmap.Conf) error {
	processors, _ := conf.Sub("processors")
	if processors == nil {
		return nil
	}
	packs := sync.OnceValue(func() []*conventions.Pack { return configuredPacks(conf) }) // few processors have rules
	var faults []error
	for key := range processors.ToStringMap() {
		var id component.ID
		if id.UnmarshalText([]byte(key)) != nil || !slices.Contains(linking, id.Type()) {
			continue
		}
		rules, _ := processors.Get(key + confmap.KeyDelimiter + "rules").([]any)
		if len(rules) == 0 {
			continue
		}
		own, err := conventions.LinkRules("rules", rules)
		if err != nil {
			continue
		}
		if err := conventions.CheckHidden("rules", own, packs()); err != nil {
			faults = append(faults, fmt.Errorf("processors::%s: %w", key, err))
		}
	}
	return errors.Join(faults...)
}

// configuredPacks returns the packs of the conventions extension that the service has, or those that apply
// without one. What cannot be read, others report.
func configuredPacks(conf *confmap.Conf) []*conventions.Pack {
	cfg, err := Used(conf)
	if err != nil {
		return nil
	}
	all, _, err := cfg.Read()
	if err != nil {
		return nil
	}
	packs, err := conventions.Load(all.packs())
	if err != nil {
		return nil
	}
	return packs
}
