// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"

// sentPair is a link that belongs between two spans of different traces, as
// --sent-pairs says it.
type sentPair struct {
	System string `json:"system"`
	// Rule names the key the two stages share.
	Rule string `json:"rule"`
	// From is the earlier stage.
	From sentSpan `json:"from"`
	To   sentSpan `json:"to"`
	// Findable is false where nothing that is sent joins the two.
	Findable bool `json:"findable"`
}

type sentSpan struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}

func newSentSpan(s scenario.SpanRef) sentSpan {
	return sentSpan{TraceID: s.TraceID.String(), SpanID: s.SpanID.String()}
}

// pairs adds the pairs of one scenario.
func (r *recordFile) pairs(system string, pairs []scenario.Pair) error {
	if r == nil || len(pairs) == 0 {
		return nil
	}
	sent := make([]sentPair, len(pairs))
	for i, p := range pairs {
		sent[i] = sentPair{
			System: system, Rule: p.Rule, From: newSentSpan(p.From), To: newSentSpan(p.To), Findable: p.Findable(),
		}
	}
	return addValues(r, sent)
}
