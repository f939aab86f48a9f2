// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// client is the client for the collector's HTTP endpoints. It keeps no idle connections, which would delay
// the collector's shutdown.
var client = &http.Client{
	Timeout:   time.Minute,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// GetPage returns the body of a response with status 200, and an error for any other status.
func GetPage(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return body, err
}

// Healthy reports whether the health check answers 200.
func (c *Collector) Healthy() bool {
	response, err := client.Get("http://" + c.Health)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
