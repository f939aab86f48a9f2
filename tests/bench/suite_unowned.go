// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
)

// maxUnowned is what passing telemetry that no pack owns may cost, as a ratio to pass-through.
const maxUnowned = 1.05

// forwardingAgent is the agent without the processors that change data.
var forwardingAgent = asShipped.files("builtin:agent, only forwarding", append(slices.Clone(agentProfile.configs), config("profiles/forwarding"))...)

// unownedTrials pass telemetry that no pack owns through the agent as it is shipped, and compare that with
// one that only forwards. They do the same with all of ours for a signal, against the same binary that only
// decodes.
func unownedTrials(ctx context.Context, s scope) ([]trial, error) {
	return s.each(ctx, func(_ context.Context, signal string, attributes int) ([]trial, error) {
		l, err := newLoad(signal, attributes, ofNobody)
		own := oursOf[signal]
		whole := &profileLoad{load: l, profile: agentProfile, items: itemsPerRequest}
		return []trial{
			{whole, []pipeline{forwardingAgent, agentProfile.atMost(maxUnowned)}},
			{l, []pipeline{asShipped.passThrough(), asShipped.through(signal, own.processors, own.configs()...)}},
		}, err
	})
}
