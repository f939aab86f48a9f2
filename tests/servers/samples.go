// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// WriteSamples writes the samples of a page in OpenMetrics, with a time.
func WriteSamples(b *strings.Builder, families map[string]*dto.MetricFamily, timestamp time.Time, more map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(families)) {
		for _, metric := range families[name].GetMetric() {
			labels := maps.Clone(more)
			if labels == nil {
				labels = map[string]string{}
			}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			add := func(suffix string, value float64, le ...string) {
				if len(le) > 0 {
					labels["le"] = le[0]
					defer delete(labels, "le")
				}
				var all []string
				for _, label := range slices.Sorted(maps.Keys(labels)) {
					all = append(all, label+"="+strconv.Quote(labels[label]))
				}
				fmt.Fprintf(b, "%s%s{%s} %v %d\n", name, suffix, strings.Join(all, ","), value, timestamp.Unix())
			}
			if h := metric.GetHistogram(); h != nil {
				for _, bucket := range h.GetBucket() {
					add("_bucket", float64(bucket.GetCumulativeCount()), strconv.FormatFloat(bucket.GetUpperBound(), 'g', -1, 64))
				}
				add("_sum", h.GetSampleSum())
				add("_count", float64(h.GetSampleCount()))
				continue
			}
			add("", cmp.Or(metric.GetCounter().GetValue(), metric.GetGauge().GetValue(), metric.GetUntyped().GetValue()))
		}
	}
}

// StartPrometheusWith starts a Prometheus server with samples.
func StartPrometheusWith(t *testing.T, dir, samples string) *Prometheus {
	t.Helper()
	promtool := collectortest.Needs(t, "prometheus", ".tools/promtool")
	file := filepath.Join(dir, "samples.txt")
	require.NoError(t, os.WriteFile(file, []byte(samples), 0o600))
	output, err := exec.CommandContext(t.Context(), promtool, "tsdb", "create-blocks-from", "openmetrics", file, filepath.Join(dir, "data")).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return StartPrometheusIn(t, dir, "", 0)
}
