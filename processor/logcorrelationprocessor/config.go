// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"errors"
	"fmt"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// The validators that generated_config.go calls. Each error names the key, the
// rule and the value.

func validateFields(fields []FieldsItem) error {
	var errs error
	used := map[string]bool{}
	for i, item := range fields {
		if err := validateField(item, used); err != nil {
			errs = errors.Join(errs, fmt.Errorf("fields[%d].%w", i, err))
		}
	}
	return errs
}

func validateField(item FieldsItem, used map[string]bool) error {
	if item.TraceID == "" {
		return errors.New(`trace_id: must be a key, for a span id counts only beside a trace id (got "")`)
	}
	switch tracecontext.Encoding(item.Encoding) {
	case "", tracecontext.Hex, tracecontext.Decimal, tracecontext.UUID:
	default:
		return fmt.Errorf("encoding: must be hex, decimal or uuid (got %q)", item.Encoding)
	}
	for _, named := range [...]struct{ setting, key string }{
		{"trace_id", item.TraceID}, {"span_id", item.SpanID}, {"trace_flags", item.TraceFlags},
	} {
		if named.key != "" && used[named.key] {
			return fmt.Errorf("%s: must be a key that stands for nothing else in fields (got %q)", named.setting, named.key)
		}
		used[named.key] = true
	}
	return nil
}

func validateDedupWindow(window *time.Duration) error {
	if window == nil {
		return nil
	}
	return policy.NotNegative("dedup_window", *window)
}

func validateScope(keys []string) error { return policy.NoEmpty("scope", keys) }

func validateHold(hold time.Duration) error { return policy.NotNegative("hold", hold) }

func validateMaxHeldRecords(records int) error {
	return policy.AtLeast("max_held_records", records, 1)
}

func validateMaxHeldMib(mib int) error { return policy.MiB("max_held_mib", mib) }

// validateTogether checks what depends on more than one setting.
func validateTogether(cfg *Config) error {
	if cfg.Hold > 0 && cfg.Index == nil {
		return fmt.Errorf("hold: must be 0 without index, which says what a record waits for (got %s)", cfg.Hold)
	}
	_, err := conventions.LinkRules("rules", cfg.Rules)
	return err
}
