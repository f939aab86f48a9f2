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

func validatePacks(packs []string) error {
	_, err := conventions.Load(packs)
	return err
}

func validatePrefix(prefix string) error { return naming.ValidatePrefix(prefix) }

func validateUnknown(unknown string) error { return naming.ValidateUnknown(unknown) }
