// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// audits returns the policy of a mode and of settings of services.
func audits(t *testing.T, mode string, services map[string]Service) *Policy {
	t.Helper()
	cfg := NewDefaultConfig()
	cfg.Mode, cfg.Services = mode, services
	require.NoError(t, cfg.Validate())
	p, err := New(*cfg)
	require.NoError(t, err)
	return p
}

// traces returns a batch with one span for each service, whose name is its place.
func traces(services ...string) ptrace.Traces {
	td := ptrace.NewTraces()
	for i, service := range services {
		rs := td.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(fmt.Sprint("schema ", i))
		rs.Resource().Attributes().PutStr("service.name", service)
		rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName(fmt.Sprint(i))
	}
	return td
}

func names(td ptrace.Traces) []string {
	all := []string{}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, span.Name())
			}
		}
	}
	return all
}

func TestPartsHaveTheirServices(t *testing.T) {
	f := func(p *Policy, services, enforced, audited []string) {
		t.Helper()
		td, calls := traces(services...), [][]string{nil, nil}
		Traces.Split(td, p,
			func(part ptrace.Traces) { calls[0] = names(part) },
			func(part ptrace.Traces) { calls[1] = names(part) })
		assert.Equal(t, [][]string{enforced, audited}, calls)
		assert.Equal(t, names(traces(services...)), names(td))
		want, got := traces(services...), td
		assert.Equal(t, want, got)
	}
	enforce, audit := audits(t, "enforce", nil), audits(t, "audit", nil)
	mixed := audits(t, "enforce", map[string]Service{"old*": {Mode: "audit"}, "old-but-tried": {Mode: "enforce"}})
	f(enforce, []string{"old", "new"}, []string{"0", "1"}, nil)
	f(audit, []string{"old", "new"}, nil, []string{"0", "1"})
	f(mixed, []string{"old", "old-1"}, nil, []string{"0", "1"})
	f(mixed, []string{"new", ""}, []string{"0", "1"}, nil)
	f(mixed, []string{"new", "old", "old-but-tried", "old"}, []string{"0", "2"}, []string{"1", "3"})
	// A batch without resources has the mode of services without a name.
	f(mixed, nil, []string{}, nil)
	f(audits(t, "audit", map[string]Service{"new": {Mode: "enforce"}}), nil, nil, []string{})
}

// TestBatchesStayCompleteAndInOrder checks with random batches that the result has all resources but those
// that were removed, in order, and then those that were added.
func TestBatchesStayCompleteAndInOrder(t *testing.T) {
	p := audits(t, "enforce", map[string]Service{"audited": {Mode: "audit"}})
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		services := make([]string, rng.IntN(8))
		for i := range services {
			services[i] = []string{"audited", "enforced"}[rng.IntN(2)]
		}
		td := traces(services...)
		var removed, added []string
		Traces.Split(td, p, func(part ptrace.Traces) {
			part.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
				if rng.IntN(3) > 0 {
					return false
				}
				removed = append(removed, rs.ScopeSpans().At(0).Spans().At(0).Name())
				return true
			})
			for i := range rng.IntN(3) {
				name := fmt.Sprint("added ", i)
				part.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName(name)
				added = append(added, name)
			}
		}, func(part ptrace.Traces) {
			for _, rs := range part.ResourceSpans().All() {
				service, _ := rs.Resource().Attributes().Get("service.name")
				require.Equal(t, "audited", service.Str())
			}
		})
		want := slices.DeleteFunc(names(traces(services...)), func(name string) bool { return slices.Contains(removed, name) })
		require.Equal(t, append(want, added...), names(td), "seed %d", seed)
	}
}
