package conformanceconnector

import (
	"fmt"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/settings"
)

// The functions below are called by generated_config.go. Each error names the key, the rule and the value.

func validatePacks(packs []any) error {
	_, err := conventions.Load(packs)
	return err
}

func validatePrefix(prefix string) error {
	if prefix == "" {
		return nil // that of the conventions extension
	}
	return naming.ValidatePrefix(prefix)
}

func validateInterval(d time.Duration) error { return lasts("interval", d, time.Second) }

func validateWindow(d time.Duration) error { return lasts("window", d, time.Second) }

func validateTolerance(d time.Duration) error { return lasts("tolerance", d, 0) }

func validateExpectAfter(d time.Duration) error { return lasts("expect_after", d, time.Second) }

func validateLimit(n int) error { return settings.AtLeast("limit", n, 1) }

func validateMaxServices(n int) error { return settings.AtLeast("max_services", n, 1) }

func validateMaxMetrics(n int) error { return settings.AtLeast("max_metrics", n, 1) }

func validateMaxFindings(n int) error { return settings.AtLeast("max_findings", n, 1) }

func validateMaxTraces(n int) error { return settings.AtLeast("max_traces", n, 1) }

func validateMaxSpans(n int) error { return settings.AtLeast("max_spans", n, 1) }

func lasts(key string, d, least time.Duration) error {
	if d < least {
		return fmt.Errorf("%s: must be at least %s (got %s)", key, least, d)
	}
	return nil
}
