// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Report is the part of the page's JSON that tests read.
type Report struct {
	Traces struct {
		Judged  int64 `json:"judged"`
		Waiting int64 `json:"waiting"`
	} `json:"traces"`
	Targets []struct {
		Service  string `json:"service"`
		Instance string `json:"instance"`
		Up       bool   `json:"up"`
	} `json:"targets"`
	Services []struct {
		Name     string `json:"name"`
		Spans    int64  `json:"spans"` // judged with their traces
		Late     int64  `json:"late_spans"`
		Unjudged int64  `json:"unjudged_spans"`
		Scores   []struct {
			Signal     string `json:"signal"`
			Checked    int64  `json:"checked"`
			Conformant int64  `json:"conformant"`
		} `json:"scores"`
	} `json:"services"`
	Findings []struct {
		Rule     string `json:"rule"`
		Original string `json:"original"`
		Action   string `json:"action"`
		Docs     string `json:"docs"`
		Total    int64  `json:"total"`
	} `json:"findings"`
	Links []struct {
		Rule  string `json:"rule"`
		Unmet int64  `json:"unmet"`
	} `json:"links"`
	Limits []struct {
		Name  string `json:"name"`
		Total int64  `json:"total"`
	} `json:"limits"`
}

// ConformanceReport reads the page's JSON.
func ConformanceReport(t *testing.T, c *Collector) (r Report) {
	t.Helper()
	page, err := GetPage(t.Context(), "http://"+c.Page+"/api/v1/report")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(page, &r), "%s", page)
	return r
}
