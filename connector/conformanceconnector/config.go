// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/readers"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// The functions below are called by generated_config.go. Each error names the key, the rule and the value.

func validateInterval(d time.Duration) error { return policy.AtLeast("interval", d, time.Second) }

func validateWindow(d time.Duration) error { return policy.AtLeast("window", d, time.Second) }

func validateTolerance(d time.Duration) error { return policy.AtLeast("tolerance", d, 0) }

func validateExpectAfter(d time.Duration) error {
	return policy.AtLeast("expect_after", d, time.Second)
}

func validateMaxServices(n int) error { return policy.AtLeast("max_services", n, 1) }

func validateMaxMetrics(n int) error { return policy.AtLeast("max_metrics", n, 1) }

func validateMaxFindings(n int) error { return policy.AtLeast("max_findings", n, 1) }

func validateMaxTraces(n int) error { return policy.AtLeast("max_traces", n, 1) }

func validateMaxSpans(n int) error { return policy.AtLeast("max_spans", n, 1) }

func validateUsage(paths []string) error { return readers.Check(paths) }

func validateTraceURL(text string) error { return validateURL("trace_url", text, "{trace_id}") }

func validateLogsURL(text string) error {
	return validateURL("logs_url", text, "{service}", "{trace_id}")
}

func validateMetricURL(text string) error { return validateURL("metric_url", text, "{metric}") }

// validateURL returns an error for a template that is no http address, or has none of its placeholders.
func validateURL(key, text string, placeholders ...string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(u.Host, "{}") {
		return fmt.Errorf("%s: must be an http or https URL with a host (got %q)", key, text)
	}
	if u.User != nil {
		return fmt.Errorf("%s: must have no user and no password, because each reader of the page gets it (got %q)", key, u.Redacted())
	}
	if !slices.ContainsFunc(placeholders, func(p string) bool { return strings.Contains(text, p) }) {
		return fmt.Errorf("%s: must have %s (got %q)", key, strings.Join(placeholders, " or "), text)
	}
	return nil
}

func validatePricePoints(price float64) error { return notNegative("price_million_points", price) }

func validatePriceGigabyte(price float64) error { return notNegative("price_gigabyte", price) }

func notNegative(key string, price float64) error {
	if !(price >= 0 && price <= math.MaxFloat32) { // also for NaN
		return fmt.Errorf("%s: must be a number of at least 0 (got %v)", key, price)
	}
	return nil
}
