// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"net/http"
	"time"
)

// client is the client for the collector's HTTP endpoints. It keeps no idle connections, which would delay
// the collector's shutdown.
var client = &http.Client{
	Timeout:   time.Minute,
	Transport: &http.Transport{DisableKeepAlives: true},
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
