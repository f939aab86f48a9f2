// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// The validators that generated_config.go calls. Each error names the key, the rule and the
// value.

func validateMaxMemory(mib int) error { return policy.MiB("max_memory_mib", mib) }

func validateMaxPage(mib int) error { return policy.MiB("max_page_mib", mib) }

func validateMetricExpiration(d time.Duration) error {
	return policy.AtLeast("metric_expiration", d, time.Second)
}
