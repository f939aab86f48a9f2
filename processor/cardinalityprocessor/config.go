// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// The values of an override's Buckets and Summary.
const (
	bucketsDrop = "drop"
	bucketsKeep = "keep"
	summaryDrop = "drop"
	summaryFold = "fold"
)

// generated_config.go calls these validators. Each error names the key, the rule and the
// value.

func validateMode(mode string) error { return policy.OwnMode(mode) }

func validateLimit(limit int) error { return policy.AtLeast("limit", limit, 1) }

func validateServiceLimit(limit int) error { return policy.AtLeast("service_limit", limit, 0) }

func validateMemoryLimit(mib int) error { return policy.AtLeast("memory_limit_mib", mib, 1) }

func validateAttributeLimits(limits map[string]int) error {
	if len(limits) > plan.MaxLimited {
		return fmt.Errorf("attribute_limits: must have at most %d keys (got %d)", plan.MaxLimited, len(limits))
	}
	for key, limit := range limits {
		if key == "" {
			return fmt.Errorf("attribute_limits: must have no empty key (got %q)", key)
		}
		if err := policy.AtLeast("attribute_limits: "+key, limit, 1); err != nil {
			return err
		}
	}
	return nil
}

func validateDropAttributes(keys []string) error { return policy.NoEmpty("drop_attributes", keys) }

func validateOverrides(overrides []OverridesItem) error {
	for i, o := range overrides {
		if err := o.validate(); err != nil {
			return fmt.Errorf("overrides[%d].%w", i, err)
		}
	}
	return nil
}

func (o OverridesItem) validate() error {
	if o.Metric == "" {
		return fmt.Errorf("metric: must be a glob of metric names (got %q)", o.Metric)
	}
	if err := policy.AtLeast("limit", o.Limit, 0); err != nil {
		return err
	}
	if o.KeepAttributes != nil && len(o.DropAttributes) > 0 {
		return fmt.Errorf("drop_attributes: must not be set together with keep_attributes (got %q)", o.DropAttributes)
	}
	if err := policy.NoEmpty("drop_attributes", o.DropAttributes); err != nil {
		return err
	}
	if err := policy.NoEmpty("keep_attributes", o.KeepAttributes); err != nil {
		return err
	}
	if o.Gauge != "" {
		if err := oneOf("gauge", o.Gauge, string(conventions.AggregateLast), string(conventions.AggregateMin),
			string(conventions.AggregateMax), string(conventions.AggregateMean), string(conventions.AggregateSum)); err != nil {
			return err
		}
	}
	if o.Buckets != "" {
		if err := oneOf("buckets", o.Buckets, bucketsKeep, bucketsDrop); err != nil {
			return err
		}
	}
	if o.Summary != "" {
		return oneOf("summary", o.Summary, summaryFold, summaryDrop)
	}
	return nil
}

// minMaxStale is several epochs: series age by seconds.
const minMaxStale = 10 * time.Second

func validateMaxStale(d time.Duration) error { return policy.AtLeast("max_stale", d, minMaxStale) }

func planSettings(cfg *Config) plan.Settings {
	settings := plan.Settings{Limit: cfg.Limit, Drop: cfg.DropAttributes, Limited: plan.LimitedOf(cfg.AttributeLimits)}
	for _, o := range cfg.Overrides {
		override := plan.Override{
			Metric: glob.New(o.Metric), Limit: o.Limit, Drop: o.DropAttributes, Keep: o.KeepAttributes,
			Gauge: conventions.GaugeAggregate(o.Gauge),
		}
		if o.Buckets != "" {
			drop := o.Buckets == bucketsDrop
			override.DropBuckets = &drop
		}
		if o.Summary != "" {
			drop := o.Summary == summaryDrop
			override.DropSummary = &drop
		}
		settings.Overrides = append(settings.Overrides, override)
	}
	return settings
}

// overridesOf returns the overrides as a configuration has them.
func overridesOf(cfg *Config) []any {
	own := confmap.New()
	if err := own.Marshal(cfg); err != nil {
		return nil
	}
	overrides, _ := own.Get("overrides").([]any)
	return overrides
}

func oneOf(key, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%s: must be one of %q (got %q)", key, allowed, value)
	}
	return nil
}
