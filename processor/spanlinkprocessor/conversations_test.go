// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
