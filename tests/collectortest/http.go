// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
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
	// A server that reads the head of a request too late, on a busy machine, ends the connection.
	for attempts := 1; attempts < 5 && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)); attempts++ {
		response, err = client.Do(request)
	}
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
	_, err := GetPage(context.Background(), "http://"+c.Health)
	return err == nil
}
