package namingprocessor

import (
	"fmt"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
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

func validatePrefix(prefix string) error { return naming.ValidatePrefix(prefix) }

func validateUnknown(unknown string) error { return naming.ValidateUnknown(unknown) }

func validateSensitive(sensitive string) error { return naming.ValidateSensitive(sensitive) }

func validateMaxNames(names int) error {
	if names < 1 {
		return fmt.Errorf("max_names: must be at least 1 (got %d)", names)
	}
	return nil
}

// minValueBytes leaves room for a beginning and the mark.
const minValueBytes = 64

func validateMaxValueBytes(size int) error {
	if size != 0 && size < minValueBytes {
		return fmt.Errorf("max_value_bytes: must be 0 or at least %d (got %d)", minValueBytes, size)
	}
	return nil
}
