// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	fetchTime = 5 * time.Second
	// maxPage is far more than the size of the collector's own metrics.
	maxPage = 32 << 20
)

// pageClient uses no proxy and no keep-alive, which would delay the shutdown.
var pageClient = &http.Client{
	Timeout:   fetchTime,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// fetch reads a Prometheus metrics page.
func fetch(ctx context.Context, address string) (map[string]*dto.MetricFamily, error) {
	url := "http://" + address + "/metrics"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := pageClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(io.LimitReader(response.Body, maxPage))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return families, nil
}
