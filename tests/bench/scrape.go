package main

import (
	"context"
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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+telemetry+"/metrics", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("scrape %s: %s", request.URL, response.Status)
	}
	content, err := io.ReadAll(response.Body)
	return string(content), err
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
