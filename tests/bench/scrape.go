package main

import (
	"bufio"
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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+telemetry+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("scrape %s: %s", request.URL, response.Status)
	}
	return parseAccepted(response.Body)
}

// parseAccepted adds the counter's samples on a page of Prometheus's text format.
// There is none before the first record.
func parseAccepted(page io.Reader) (int64, error) {
	var sum int64
	lines := bufio.NewScanner(page)
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), counter+"{") {
			continue
		}
		text := lines.Text()[strings.LastIndexByte(lines.Text(), ' ')+1:]
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: must be a number (got %q)", counter, text)
		}
		sum += int64(value)
	}
	return sum, lines.Err()
}
