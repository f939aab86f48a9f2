// SPDX-License-Identifier: Apache-2.0

package main

import "encoding/json"

// sentPair is what tcgen says of two spans of different traces that belong together.
type sentPair struct {
	System string  `json:"system"`
	From   spanRef `json:"from"` // the earlier
	To     spanRef `json:"to"`
	// Findable says whether what was sent joins the two.
	Findable bool `json:"findable"`
}

// spanRef identifies a span.
type spanRef struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}

func readPairs(file string) ([]sentPair, error) {
	var pairs []sentPair
	err := eachLine(file, func(line []byte) error {
		var p sentPair
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		pairs = append(pairs, p)
		return nil
	})
	return pairs, err
}
