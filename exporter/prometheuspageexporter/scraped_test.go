// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// A counter that was scraped under a name without _total has that name in every format. A name that a pack
// has given, or an SDK, gets its suffixes.
func TestNamesOfScrapedMetrics(t *testing.T) {
	s := serve(t, nil)
	s.consume(t, metrics(func(all pmetric.MetricSlice) {
		for _, name := range []string{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "pg__odd", "vllm:prompt_tokens_total", "tc_renamed"} {
			counter(all, name, 1, 3)
			all.At(all.Len()-1).Metadata().PutStr(naming.ScrapedTypeKey, "counter")
		}
		all.At(all.Len()-1).Metadata().PutStr(naming.OriginalNameKey, "renamed")
		counter(all, "sent", 2, 3)
	}))
	for _, name := range []string{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "pg__odd", "vllm:prompt_tokens_total", "tc_renamed_total", "sent_total"} {
		assert.Contains(t, s.families(t), name)
		for _, accept := range []string{textFormat, openMetrics} {
			_, body := s.get(t, accept)
			assert.Contains(t, string(body), "\n"+name+"{"+ofShop+"} 3", accept)
		}
	}
}
