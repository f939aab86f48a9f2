// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requireEven requires that all keys went to living gateways, in equal shares.
func requireEven(t *testing.T, what string, shares []int, keys, living int) {
	t.Helper()
	total, mean := 0, float64(keys)/float64(living)
	for _, n := range shares {
		total += n
	}
	require.Equal(t, keys, total, what)
	busiest := float64(slices.Max(shares)) / mean
	t.Logf("%s: the busiest of %d gateways has %.3f of the mean", what, living, busiest)
	require.Less(t, busiest, 1+6/math.Sqrt(mean), "%s: six standard deviations of random choices", what)
}

// Gateways get equal shares of traces and of pods, also while one of them is away.
func TestShares(t *testing.T) {
	all := startGateways(t, gateways)
	traceExporter := startExporter(t, "rendezvous", addressesOf(all), rendezvous.CreateTraces)
	metricExporter := startExporter(t, "rendezvous", addressesOf(all), rendezvous.CreateMetrics)
	sent, random := nodes/divisor()/10*10, rand.New(rand.NewPCG(1, 2))
	for living := gateways; living >= gateways-1; living-- {
		sendPods(t, metricExporter, sent)
		sendTraces(t, traceExporter, random, sent*pods)
		var traces, series []int
		for _, g := range all {
			taken := map[string]bool{}
			g.takePods(taken)
			traces, series = append(traces, g.spans.SpanCount()/spansOfTrace), append(series, len(taken))
			g.spans.Reset()
		}
		requireEven(t, "traces", traces, sent*pods, living)
		requireEven(t, "pods", series, sent*pods, living)
		require.NoError(t, all[0].receiver.Shutdown(context.WithoutCancel(t.Context())))
	}
}

// While gateways are replaced one after the other, each gets a new address, so all pods move. A gateway knows the series
// of those that it had and of those that it gets, until max_stale has passed: about three times its share.
func TestRollout(t *testing.T) {
	n, sent := 10, 50 // nearly as for all
	if divisor() == 1 {
		n, sent = gateways, 500
	}
	current, next, known := startGateways(t, n), startGateways(t, n), make([]map[string]bool, n)
	scrape := func(living []*gateway) {
		t.Run("", func(t *testing.T) {
			sendPods(t, startExporter(t, "rendezvous", addressesOf(living), rendezvous.CreateMetrics), sent)
		})
	}
	take := func() (all int) {
		for i := range known {
			if known[i] == nil {
				known[i] = map[string]bool{}
			}
			current[i].takePods(known[i])
			all += len(known[i])
		}
		return all
	}
	scrape(current)
	first := take()
	for i := range current {
		scrape(slices.Concat(current[:i], current[i+1:]))
		take()
		current[i] = next[i] // the same state, at another address
		scrape(current)
		take()
	}
	grown := float64(take()) / float64(first)
	t.Logf("gateways know %.2f times their share", grown)
	assert.InDelta(t, 2.8, grown, 0.3)
}
