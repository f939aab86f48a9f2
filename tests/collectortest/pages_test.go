// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestScrapeAndSum(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`# TYPE tc_requests_total counter
tc_requests_total{method="put",code="200"} 3
tc_requests_total{method="get",code="200"} 4
tc_requests_total{method="get",code="500"} 5
# TYPE tc_replicas gauge
tc_replicas 2
# TYPE tc_wait_seconds histogram
tc_wait_seconds_bucket{le="1"} 6
tc_wait_seconds_bucket{le="+Inf"} 7
tc_wait_seconds_sum 2.5
tc_wait_seconds_count 7
`))
	}))
	defer server.Close()
	c := &Collector{Prometheus: strings.TrimPrefix(server.URL, "http://")}

	families := c.Scrape(t)
	requests := families["tc_requests_total"]
	assert.Equal(t, 12.0, Sum(requests, nil))
	assert.Equal(t, 9.0, Sum(requests, map[string]string{"method": "get"}))
	assert.Equal(t, 5.0, Sum(requests, map[string]string{"method": "get", "code": "500"}))
	assert.Equal(t, 0.0, Sum(requests, map[string]string{"path": "/"}))
	assert.Equal(t, 2.0, Sum(families["tc_replicas"], nil))
	assert.Equal(t, 7.0, Sum(families["tc_wait_seconds"], nil))
	assert.Equal(t, 0.0, Sum(families["tc_other"], nil))
}

func TestScrapeRefusesABrokenPage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("tc_replicas {\n"))
	}))
	defer server.Close()
	_, err := scrape(server.URL)
	assert.ErrorContains(t, err, "scrape "+server.URL)

	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	_, err = scrape(missing.URL)
	assert.ErrorContains(t, err, "404")
}
