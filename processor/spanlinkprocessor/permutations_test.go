// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const chainRules = `
scope: [deployment.environment.name, k8s.namespace.name, service.namespace]
max_held_spans: 1000000
max_held_mib: 1024
rules:
  - name: two
    key: {span_attribute: two}
    from: {span_name: A}
    to: {span_name: B}
  - name: three
    key: {span_attribute: three}
    topology: chain
    stages: [{span_name: A}, {span_name: B}, {span_name: C}]
  - name: four
    key: {span_attribute: four}
    topology: chain
    stages: [{span_name: A}, {span_name: B}, {span_name: C}, {span_name: D}]
  - name: symmetric
    key: {span_attribute: symmetric}
    from: {}
    to: {}
  - name: symmetric_waiting
    key: {span_attribute: symmetric_waiting}
    from: {}
    to: {}
    hold: 10s
` + waitingChains

// waitingChains are rules of four stages that wait for each other: by their names, and by their times.
const waitingChains = `
  - name: waiting
    key: {span_attribute: waiting}
    topology: chain
    stages: [{span_name: A}, {span_name: B}, {span_name: C}, {span_name: D}]
    hold: 10s
  - name: time
    key: {span_attribute: time}
    topology: chain
    from: {span_name: [A, B, C]}
    to: {span_name: [B, C, D]}
    hold: 10s
`

// history is what is delivered in turn, by the stages' numbers; true ends a batch.
type history struct {
	stages []int
	ends   []bool
}

// everyHistory visits all orders of n stages, without and with each possible second
// delivery of one of them, in all batches.
func everyHistory(n int, visit func(history)) {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	inBatches := func(stages []int) {
		for mask := range 1 << (len(stages) - 1) {
			ends := make([]bool, len(stages))
			for i := range ends {
				ends[i] = i == len(stages)-1 || mask>>i&1 == 1
			}
			visit(history{stages, ends})
		}
	}
	permute(all, func(order []int) {
		inBatches(slices.Clone(order))
		for i, again := range order {
			for at := i + 1; at <= n; at++ {
				inBatches(slices.Insert(slices.Clone(order), at, again))
			}
		}
	})
}

func permute(all []int, visit func([]int)) {
	var from func(int)
	from = func(k int) {
		if k == len(all) {
			visit(all)
			return
		}
		for i := k; i < len(all); i++ {
			all[k], all[i] = all[i], all[k]
			from(k + 1)
			all[k], all[i] = all[i], all[k]
		}
	}
	from(0)
}

// stageSpan is the span of a stage in a run that no other run shares a key with.
func stageSpan(rule string, run, stage int) spec {
	return spec{
		Number: uint64(run*10 + stage + 1), Name: string(rune('A' + stage)), At: time.Duration(stage) * time.Second,
		Attributes: map[string]any{rule: fmt.Sprintf("run-%d", run)},
	}
}

// deployments have the same runs with the same keys. Every other span states the environment by its
// older name.
var deployments = []map[string]any{
	{},
	{"deployment.environment.name": "staging"},
	{"deployment.environment.name": "staging", "k8s.namespace.name": "a"},
}

// deploymentSpans is how far the numbers of the deployments' spans are apart.
const deploymentSpans = 1 << 32

// everywhere returns the spans of all deployments.
func everywhere(specs ...spec) (all []spec) {
	for _, s := range specs {
		for n, attributes := range deployments {
			own := s
			own.Number += uint64(n) * deploymentSpans
			own.Resource = maps.Clone(attributes)
			if name, ok := own.Resource["deployment.environment.name"]; ok && s.Number%2 == 0 {
				delete(own.Resource, "deployment.environment.name")
				own.Resource["deployment.environment"] = name
			}
			all = append(all, own)
		}
	}
	return all
}

// pairsEverywhere returns the pairs of all deployments.
func pairsEverywhere(of map[pair]bool) map[pair]bool {
	all := map[pair]bool{}
	for p := range of {
		for n := range uint64(len(deployments)) {
			all[pair{p.Earlier + n*deploymentSpans, p.Later + n*deploymentSpans}] = true
		}
	}
	return all
}

// play sends a history and returns what came out.
func (r *rig) play(t *testing.T, rule string, run int, h history) {
	t.Helper()
	var specs []spec
	for i, stage := range h.stages {
		specs = append(specs, stageSpan(rule, run, stage))
		if h.ends[i] {
			r.send(t, everywhere(specs...)...)
			specs = nil
		}
	}
}

func chain(run, n int) map[pair]bool {
	want := map[pair]bool{}
	for stage := 1; stage < n; stage++ {
		want[pair{uint64(run*10 + stage), uint64(run*10 + stage + 1)}] = true
	}
	return want
}

// Every order of arrival, with every second delivery, in all batches, links the same
// pairs.
func TestEveryOrderGivesTheSamePairs(t *testing.T) {
	for rule, n := range map[string]int{"two": 2, "three": 3, "four": 4} {
		t.Run(rule, func(t *testing.T) {
			r := newRig(t, rigSettings{processor: chainRules, index: "max_memory_mib: 64"})
			run := 0
			everyHistory(n, func(h history) {
				run++
				r.play(t, rule, run, h)
				got := r.sink.take()
				require.Len(t, got, len(deployments)*len(h.stages), "%v", h)
				pairs, edges := derived(t, got)
				require.Equal(t, pairsEverywhere(chain(run, n)), pairs, "%v", h)
				requireNoCycle(t, edges)
			})
			t.Logf("%d histories", run)
		})
	}
}

// Where spans wait, so do those that come a second time, before and after the first is
// let go.
func TestEveryOrderGivesTheSamePairsWhereSpansWait(t *testing.T) {
	for _, rule := range []string{"waiting", "time"} {
		for n := 2; n <= 4; n++ {
			for _, pause := range []time.Duration{0, 2 * time.Second, 9 * time.Second} {
				t.Run(fmt.Sprintf("%s, %d stages, %s", rule, n, pause), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						r := newRig(t, rigSettings{processor: chainRules, index: "max_memory_mib: 64"})
						everyPaused(t, r, rule, n, pause)
					})
				})
			}
		}
	}
}

// everyPaused plays all histories side by side, with a pause between batches.
func everyPaused(t *testing.T, r *rig, rule string, n int, pause time.Duration) {
	if rule == "time" {
		pause = min(pause, 2*time.Second) // a chain by time asks that all come within its hold
	}
	type playing struct {
		run  int
		left history
	}
	var all []*playing
	var histories []history
	everyHistory(n, func(h history) {
		histories = append(histories, h)
		all = append(all, &playing{len(histories), h})
	})
	if testing.Short() && len(all) > 500 {
		all = all[:500]
	}
	for again := true; again; {
		again = false
		for _, p := range all {
			var specs []spec
			for len(p.left.stages) > 0 {
				specs = append(specs, stageSpan(rule, p.run, p.left.stages[0]))
				end := p.left.ends[0]
				p.left.stages, p.left.ends = p.left.stages[1:], p.left.ends[1:]
				if end {
					break
				}
			}
			if len(specs) > 0 {
				r.send(t, everywhere(specs...)...)
				again = again || len(p.left.stages) > 0
			}
		}
		time.Sleep(pause)
	}
	time.Sleep(time.Minute)
	synctest.Wait()

	want := map[pair]bool{}
	spans := 0
	for _, p := range all {
		spans += len(histories[p.run-1].stages)
		for one := range chain(p.run, n) {
			want[one] = true
		}
	}
	got := r.sink.take()
	require.Len(t, got, len(deployments)*spans)
	pairs, edges := derived(t, got)
	want = pairsEverywhere(want)
	for one := range want {
		if !pairs[one] {
			t.Fatalf("not linked: %s in %v", one, histories[one.Earlier%deploymentSpans/10-1])
		}
	}
	for one := range pairs {
		if !want[one] {
			t.Fatalf("linked: %s in %v", one, histories[one.Earlier%deploymentSpans/10-1])
		}
	}
	if pause*time.Duration(n) < 10*time.Second { // a history has up to n+1 batches
		for e := range edges {
			if !want[pair{e.to, e.from}] {
				t.Fatalf("a link points forward from %d in %v", e.from, histories[e.from%deploymentSpans/10-1])
			}
		}
	}
	requireNoCycle(t, edges)
}

// Larger ones at random: several spans at each stage, each delivered up to three times.
func TestRandomOrdersGiveTheSamePairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	stagesOf := map[string]int{"two": 2, "three": 3, "four": 4, "symmetric": 1, "symmetric_waiting": 1, "waiting": 4, "time": 4}
	for round := range 350 {
		rule := []string{"two", "three", "four", "symmetric", "symmetric_waiting", "waiting", "time"}[round%7]
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, rigSettings{processor: chainRules, index: "max_memory_mib: 64"})
			var spans []spec
			for i := range 2 + rng.IntN(10) {
				s := stageSpan(rule, round, rng.IntN(stagesOf[rule]))
				s.Number = uint64(i + 1)
				if stagesOf[rule] == 1 || rule == "time" {
					s.At = time.Duration(rng.IntN(8)) * time.Second
				}
				spans = append(spans, s)
			}
			want := truePairs(rule, spans)
			var sent []spec
			for _, s := range spans {
				for range 1 + rng.IntN(3) {
					sent = append(sent, s)
				}
			}
			rng.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
			for left := sent; len(left) > 0; {
				n := 1 + rng.IntN(len(left))
				r.send(t, everywhere(left[:n]...)...)
				left = left[n:]
				time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			got := r.sink.take()
			require.Len(t, got, len(deployments)*len(sent))
			pairs, edges := derived(t, got)
			require.Equal(t, pairsEverywhere(want), pairs, "%s: %+v", rule, sent)
			requireNoCycle(t, edges)
		})
	}
}

// truePairs are the pairs that a rule means, found by looking at all pairs.
func truePairs(rule string, spans []spec) map[pair]bool {
	pairs := map[pair]bool{}
	before := func(a, b spec) bool {
		if a.At != b.At {
			return a.At < b.At
		}
		return a.Number < b.Number
	}
	for _, later := range spans {
		var last *spec
		for _, earlier := range spans {
			switch rule {
			case "symmetric", "symmetric_waiting":
				if before(earlier, later) {
					pairs[pair{earlier.Number, later.Number}] = true
				}
			case "time":
				if earlier.Name != "D" && later.Name != "A" && before(earlier, later) && (last == nil || before(*last, earlier)) {
					last = &earlier
				}
			default:
				if strings.Compare(earlier.Name, later.Name) < 0 && later.Name[0]-earlier.Name[0] == 1 {
					pairs[pair{earlier.Number, later.Number}] = true
				}
			}
		}
		if last != nil {
			pairs[pair{last.Number, later.Number}] = true
		}
	}
	return pairs
}

// turn is a trace: an agent with two calls of a model and one of a tool, all with the conversation's
// id, below a server's span without it.
func turn(n int, key string) []spec {
	at := time.Duration(n) * 20 * time.Second
	id := map[string]any{key: "thread-1"}
	first, trace := uint64(10*n+1), uint64(n+1)
	return []spec{
		{Number: first, Trace: trace, Name: "POST /chat", At: at},
		{Number: first + 1, Trace: trace, Parent: first, Name: "invoke_agent", At: at + time.Second, Attributes: id},
		{Number: first + 2, Trace: trace, Parent: first + 1, Name: "chat", At: at + 2*time.Second, Attributes: id},
		{Number: first + 3, Trace: trace, Parent: first + 1, Name: "execute_tool", At: at + 3*time.Second, Attributes: id},
		{Number: first + 4, Trace: trace, Parent: first + 1, Name: "chat", At: at + 4*time.Second, Attributes: id},
	}
}

// A turn is linked once, to the last of the one before, in whatever order and batches all come.
func TestTurnsOfAConversation(t *testing.T) {
	for _, key := range []string{"gen_ai.conversation.id", "session.id"} {
		for seed := range uint64(100) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, rigSettings{processor: fragment(t, "conversation-links")})
				random := rand.New(rand.NewPCG(seed, 1))
				var sent []spec
				for n := range 3 {
					sent = append(sent, turn(n, key)...)
				}
				sent = append(sent, sent[random.IntN(len(sent))]) // delivered twice
				random.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
				for left := sent; len(left) > 0; {
					n := 1 + random.IntN(len(left))
					r.send(t, left[:n]...)
					left = left[n:]
					time.Sleep(time.Duration(random.IntN(250)) * time.Millisecond)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				got := r.sink.take()
				require.Len(t, got, len(sent))
				pairs, edges := derived(t, got)
				assert.Equal(t, map[pair]bool{{5, 12}: true, {15, 22}: true}, pairs, "seed %d", seed)
				assert.Equal(t, map[edge]bool{{12, 5}: true, {22, 15}: true}, edges, "they point back")
			})
		}
	}
}

const directionRules = `
rules:
` + waitingChains + `
  - name: star
    key: {span_attribute: star}
    topology: star
    from: {span_name: A}
    to: {span_name: [B, C, D]}
    hold: 10s
  - name: fan_in
    key: {span_attribute: fan_in}
    topology: fan_in
    from: {span_name: [A, B, C]}
    to: {span_name: D}
    hold: 10s
`

// A span whose start was never set, or is of a clock that counts from boot, has no place in time. It
// is linked to nothing, waits for nobody, and does not change what becomes of other spans. If all of
// these come within the hold, in whatever order, each link is on the later span.
func TestSpansFrom1970(t *testing.T) {
	from1970 := func(at time.Duration) func(*spec) {
		return func(s *spec) {
			edit := s.Edit
			s.Edit = func(span ptrace.Span) {
				if edit != nil {
					edit(span)
				}
				span.SetStartTimestamp(pcommon.Timestamp(at))
			}
		}
	}
	for _, at := range []time.Duration{0, time.Second, 24 * time.Hour} {
		for rule, pairs := range map[string]map[pair]bool{
			"waiting": {{1, 2}: true, {2, 3}: true, {3, 4}: true},
			"time":    {{1, 2}: true, {2, 3}: true, {3, 4}: true},
			"star":    {{1, 2}: true, {1, 3}: true, {1, 4}: true},
			"fan_in":  {{1, 4}: true, {2, 4}: true, {3, 4}: true},
		} {
			permute([]int{0, 1, 2, 3}, func(order []int) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, rigSettings{processor: directionRules})
					for i, stage := range order {
						for j, wrong := range []int{0, 1, 2, 3} {
							s := stageSpan(rule, 0, wrong)
							s.Number = uint64(100 + 10*i + j)
							from1970(at + time.Duration(i))(&s)
							r.send(t, s)
						}
						assert.Len(t, wrongOnes(r.sink.spans), 4*(i+1), "they do not wait")
						r.send(t, stageSpan(rule, 0, stage))
						time.Sleep(time.Second)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					got, edges := derived(t, r.sink.take())
					require.Equal(t, pairs, got, "%s, %v", rule, order)
					requireNoCycle(t, edges)
					for p := range pairs {
						require.Contains(t, edges, edge{p.Later, p.Earlier}, "%s, %v: a link points forward", rule, order)
					}
				})
			})
		}
	}
}

func wrongOnes(spans []ptrace.Span) (all []ptrace.Span) {
	for _, span := range spans {
		if span.StartTimestamp() < 1e18 {
			all = append(all, span)
		}
	}
	return all
}
