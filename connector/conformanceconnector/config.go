package conformanceconnector

import (
	"fmt"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// The validators that generated_config.go calls. Each error names the key, the
// rule and the value.

func validatePacks(packs []any) error {
	_, err := conventions.LoadSetting(packs)
	return err
}

func validatePrefix(prefix string) error { return naming.ValidatePrefix(prefix) }

func validateInterval(d time.Duration) error { return lasts("interval", d, time.Second) }

func validateWindow(d time.Duration) error { return lasts("window", d, time.Second) }

func validateTolerance(d time.Duration) error { return lasts("tolerance", d, 0) }

func validateExpectAfter(d time.Duration) error { return lasts("expect_after", d, time.Second) }

func validateLimit(n int) error { return atLeastOne("limit", n) }

func validateMaxServices(n int) error { return atLeastOne("max_services", n) }

func validateMaxMetrics(n int) error { return atLeastOne("max_metrics", n) }

func validateMaxFindings(n int) error { return atLeastOne("max_findings", n) }

func validateMaxTraces(n int) error { return atLeastOne("max_traces", n) }

func validateMaxSpans(n int) error { return atLeastOne("max_spans", n) }

func lasts(key string, d, least time.Duration) error {
	if d < least {
		return fmt.Errorf("%s: must be at least %s (got %s)", key, least, d)
	}
	return nil
}

func atLeastOne(key string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s: must be at least 1 (got %d)", key, n)
	}
	return nil
}
