// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const counter = "otelcol_receiver_accepted_log_records"

// acceptedLines is how many log records a collector's receivers say they have
// accepted since it started.
func acceptedLines(ctx context.Context, telemetry string) (int64, error) {
	page, err := scrape(ctx, telemetry)
	if err != nil {
		return 0, err
	}
	return sumOf(page, counter+"{")
}

// scrape gets a collector's own metrics, in Prometheus's text format.
func scrape(ctx context.Context, telemetry string) (page string, err error) {
	body, err := get(ctx, "http://"+telemetry+"/metrics")
	if err != nil {
		return "", err
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	return string(content), err
}

// get asks for what a collector says of itself. Any status but 200 is an error.
func get(ctx context.Context, url string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("GET %s: %s", url, response.Status), response.Body.Close())
	}
	return response.Body, nil
}

// sumOf adds the samples of a page that begin so. A counter has none before it counts.
func sumOf(page, prefix string) (sum int64, err error) {
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, prefix) {
			continue
		}
		line = strings.TrimSpace(line)
		text := line[strings.LastIndexByte(line, ' ')+1:]
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: must be a number (got %q)", strings.TrimSuffix(prefix, "{"), text)
		}
		sum += int64(value)
	}
	return sum, nil
}
