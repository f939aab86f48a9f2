package spanlinkprocessor

import (
	"fmt"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// The values of Config.Mode.
const (
	modeEnforce = "enforce"
	modeAudit   = "audit"
)

// The validators that generated_config.go calls. Each error names the key, the
// rule and the value.

func validateMode(mode string) error {
	if mode != modeEnforce && mode != modeAudit {
		return fmt.Errorf("mode: must be %s or %s (got %q)", modeEnforce, modeAudit, mode)
	}
	return nil
}

func validatePacks(packs []any) error {
	_, err := conventions.LoadSetting(packs)
	return err
}

func validateRules(rules []any) error {
	_, err := conventions.LinkRules("rules", rules)
	return err
}

func validateScope(scope []string) error {
	if slices.Contains(scope, "") {
		return fmt.Errorf("scope: must not have an empty key (got %q)", scope)
	}
	return nil
}

func validateMaxHeldSpans(spans int) error { return atLeastOne("max_held_spans", spans) }

// maxMiB is more memory than there is, and still a number of bytes.
const maxMiB = 1 << 20

func validateMaxHeldMib(mib int) error {
	if mib > maxMiB {
		return fmt.Errorf("max_held_mib: must be at most %d (got %d)", maxMiB, mib)
	}
	return atLeastOne("max_held_mib", mib)
}

func atLeastOne(key string, value int) error {
	if value < 1 {
		return fmt.Errorf("%s: must be at least 1 (got %d)", key, value)
	}
	return nil
}
