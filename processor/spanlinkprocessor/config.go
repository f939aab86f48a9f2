// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// The validators that generated_config.go calls. Each error names the key, the
// rule and the value.

func validateMode(mode string) error { return policy.OwnMode(mode) }

// validateRules validates rules with the processor's own packs.
func validateRules(cfg *Config) error {
	_, err := conventions.LinkRules("rules", cfg.Rules)
	return err
}

func validateScope(scope []string) error { return policy.NoEmpty("scope", scope) }

func validateMaxHeldSpans(spans int) error { return policy.AtLeast("max_held_spans", spans, 1) }

func validateMaxHeldMib(mib int) error { return policy.MiB("max_held_mib", mib) }
