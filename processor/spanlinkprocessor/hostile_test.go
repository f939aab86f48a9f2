// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What a hostile sender can have the processor do for a small request is bounded. The
// limits are generous; what they guard against took seconds each.
func TestHostileSpansTakeLittleTime(t *testing.T) {
	f := func(name string, settings rigSettings, batches ...[]spec) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, settings)
				began := cpuTime(t)
				for _, b := range batches {
					r.send(t, b...)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				assert.Less(t, cpuTime(t)-began, slowdown*3*time.Second)
				r.stop(t)
			})
		})
	}

	var keys []any
	for i := range 256 {
		keys = append(keys, fmt.Sprint("k-", i))
	}
	many := func(n int, edit func(i uint64, s *spec)) (all []spec) {
		for i := range uint64(n) {
			s := put(i+1, keys)
			edit(i, &s)
			all = append(all, s)
		}
		return all
	}
	f("many keys of many spans", rigSettings{processor: `
packs: [messaging]
rules: [{name: all, key: {span_attribute: job.key}, from: {}, to: {}}]
`}, many(512, func(uint64, *spec) {}))

	f("a long scope", handoff("    scope: [deployment.environment.name]\n"), many(200, func(_ uint64, s *spec) {
		s.Attributes["job.key"] = keys[:64]
		s.Resource = map[string]any{"deployment.environment.name": strings.Repeat("x", 1<<20)}
	}))

	var generations [][]spec
	for i := range uint64(1000) {
		generations = append(generations, []spec{{
			Number: i + 1, Trace: 7, Parent: i, Name: "training_controller.run_forward", At: time.Duration(i) * time.Millisecond,
			Attributes: map[string]any{"tuft.training_run_id": "k"},
		}})
	}
	f("generations of one trace", rigSettings{processor: `
packs: [messaging]
rules: [{name: steps, topology: chain, key: {span_attribute: tuft.training_run_id}, from: {}, to: {}, hold: 5s, max_members: 4096}]
`}, generations...)

	f("many links with many attributes", handoff(""), many(100, func(uint64, *spec) {}), many(1, func(_ uint64, s *spec) {
		s.Number, s.Name = 1000, "Consumer/Get"
		s.Edit = func(span ptrace.Span) {
			for range 120 {
				link := span.Links().AppendEmpty()
				for j := range 200 {
					link.Attributes().PutInt(fmt.Sprint("attribute.", j), 1)
				}
			}
		}
	}))
}

// cpuTime is what the process has used: the bubble's clock stands still meanwhile.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	assert.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
