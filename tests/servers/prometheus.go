// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
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
	binary, dir := collectortest.Needs(t, "prometheus", ".tools/prometheus"), t.TempDir()
	config := fmt.Sprintf("global: {scrape_interval: %[1]s, scrape_timeout: %[1]s}\nscrape_configs:\n", ScrapeInterval)
	for pipeline, c := range collectors {
		// The page has labels job and instance of its own.
		config += fmt.Sprintf("- {job_name: %[1]s, honor_labels: true, static_configs: [{targets: [%[2]q], labels: {pipeline: %[1]s}}]}\n",
			pipeline, c.Prometheus)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600))
	return startOn(t, binary, dir, len(collectors))
}

// StartPrometheusOn runs a server with the blocks in the folder data of a directory, until the test ends.
func StartPrometheusOn(t *testing.T, dir string) *Prometheus {
	t.Helper()
	binary := collectortest.Needs(t, "prometheus", ".tools/prometheus")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), nil, 0o600))
	return startOn(t, binary, dir, 0)
}

// startOn runs a server with the configuration and the data in a directory.
func startOn(t *testing.T, binary, dir string, targets int) *Prometheus {
	t.Helper()
	for attempt := 1; ; attempt++ {
		addresses, err := loopback.FreeAddresses(1)
		require.NoError(t, err)
		p := &Prometheus{Address: addresses[0], Targets: targets}
		log, ready := p.Start(t, binary, "--config.file", filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path", filepath.Join(dir, "data"))
		if ready {
			return p
		}
		// Another process may have taken the port.
		if attempt == 3 || !strings.Contains(log, "address already in use") {
			t.Fatalf("Prometheus ended before it was ready:\n%s", log)
		}
	}
}

// Start returns the log of a server that ended before it was ready.
func (p *Prometheus) Start(t *testing.T, binary string, args ...string) (log string, ready bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append(args, "--web.listen-address", p.Address)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// When the test ends; killed when that is not enough.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it was told to end
	}()
	t.Cleanup(func() {
		<-ended
		if t.Failed() {
			t.Logf("log of Prometheus:\n%s", &stderr)
		}
	})
	running := true
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		select {
		case <-ended:
			running = false
		default:
			_, err := p.get(t.Context(), "/-/ready", nil)
			ready = err == nil
		}
		return ready || !running, "Prometheus is not ready at " + p.Address
	})
	if !running {
		return stderr.String(), false
	}
	return "", true
}

func (p *Prometheus) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Address+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", request.URL, response.Status, body)
	}
	return body, err
}

// Query evaluates an expression at a time.
func Query[V model.Vector | model.Matrix](t *testing.T, p *Prometheus, expression string, timestamp time.Time) V {
	t.Helper()
	// As text: the API would round a number of seconds, and could miss the sample of that millisecond.
	body, err := p.get(t.Context(), "/api/v1/query", url.Values{"query": {expression}, "time": {timestamp.UTC().Format(time.RFC3339Nano)}})
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
