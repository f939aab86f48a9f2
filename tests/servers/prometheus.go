// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const (
	// ScrapeInterval is short, so that tests are.
	ScrapeInterval = 500 * time.Millisecond
	// LookBack is a range longer than any test.
	LookBack = "[10m]"
)

// Prometheus is a running Prometheus.
type Prometheus struct {
	Address string
	Targets int
}

// StartPrometheus runs a server that scrapes the pages of collectors until the
// test ends. Each key becomes the value of the label pipeline.
func StartPrometheus(t *testing.T, collectors map[string]*collectortest.Collector) *Prometheus {
	t.Helper()
	config := fmt.Sprintf("global: {scrape_interval: %[1]s, scrape_timeout: %[1]s}\nscrape_configs:\n", ScrapeInterval)
	for pipeline, c := range collectors {
		// The page has labels job and instance of its own.
		config += fmt.Sprintf("- {job_name: %[1]s, honor_labels: true, static_configs: [{targets: [%[2]q], labels: {pipeline: %[1]s}}]}\n",
			pipeline, c.Prometheus)
	}
	return StartPrometheusIn(t, t.TempDir(), config, len(collectors))
}

// StartPrometheusIn runs a server with a configuration, and with the data in a directory, until the test ends.
func StartPrometheusIn(t *testing.T, dir, config string, targets int) (p *Prometheus) {
	t.Helper()
	file := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	OnFreePorts(t, 1, func(addresses []string) (log string, ready bool) {
		p = &Prometheus{Address: addresses[0], Targets: targets}
		return p.Start(t, "--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"))
	})
	return p
}

// Start returns the log of a server that ended before it was ready.
func (p *Prometheus) Start(t *testing.T, args ...string) (log string, ready bool) {
	t.Helper()
	s := &Server{Binary: collectortest.Needs(t, "prometheus", ".tools/prometheus"), Args: append(args, "--web.listen-address", p.Address)}
	return s.Start(t, func() error {
		_, err := collectortest.GetPage(t.Context(), "http://"+p.Address+"/-/ready")
		return err
	})
}

// Query evaluates an expression at a time.
func Query[V model.Vector | model.Matrix](t *testing.T, p *Prometheus, expression string, timestamp time.Time) V {
	t.Helper()
	// As text: the API would round a number of seconds, and could miss the sample of that millisecond.
	query := url.Values{"query": {expression}, "time": {timestamp.UTC().Format(time.RFC3339Nano)}}
	body, err := collectortest.GetPage(t.Context(), "http://"+p.Address+"/api/v1/query?"+query.Encode())
	require.NoError(t, err)
	var answer struct {
		Data struct {
			Result V `json:"result"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal(body, &answer), "%s", body)
	return answer.Data.Result
}

// AwaitScrapes waits until all targets were scraped after now.
func (p *Prometheus) AwaitScrapes(t *testing.T) {
	t.Helper()
	// A sample has the time at which its scrape began, moved by 2 ms at most.
	since := model.TimeFromUnixNano(time.Now().Add(5 * time.Millisecond).UnixNano())
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		scraped := 0
		for _, up := range Query[model.Matrix](t, p, "up"+LookBack, time.Now()) {
			if last := up.Values[len(up.Values)-1]; last.Value == 1 && last.Timestamp > since {
				scraped++
			}
		}
		return scraped == p.Targets, fmt.Sprintf("%d of %d targets scraped", scraped, p.Targets)
	})
}

// Increased is what a series did since it was first scraped.
type Increased struct {
	Total     float64 // of increase()
	Decreases int     // how often a sample was less than the one before
}

// Increase asks for the increase() of the one series of a selector, which has to
// begin with 0.
//
// Increase() extrapolates from the first and the last sample to the ends of its
// range, and so says 1.03 where one thing was counted. Here it is exact:
//   - at the end, because it is evaluated at the very time of the last sample;
//   - at the beginning, because it takes no counter to have been below 0, and the
//     first sample is 0.
//
// What is left is the last value, and the value before each decrease, which counts
// as a reset. The same is made of the samples here, and compared.
func (p *Prometheus) Increase(t *testing.T, selector string) Increased {
	t.Helper()
	found := Query[model.Matrix](t, p, selector+LookBack, time.Now())
	require.Len(t, found, 1, selector)
	samples := found[0].Values
	require.Zero(t, samples[0].Value, "the first sample of %s", selector)
	var result Increased
	var grown model.SampleValue
	for i, sample := range samples[1:] {
		before := samples[i].Value
		if sample.Value < before {
			result.Decreases++
			before = 0
		}
		grown += sample.Value - before
	}
	last := samples[len(samples)-1].Timestamp.Time()
	answer := Query[model.Vector](t, p, "increase("+selector+LookBack+")", last)
	require.Len(t, answer, 1, selector)
	assert.Equal(t, grown, answer[0].Value, "increase() of the samples of %s: %v", selector, samples)
	result.Total = float64(answer[0].Value)
	return result
}
