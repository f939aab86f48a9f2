// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func keeping(directory string) rigSettings {
	settings := handoff(holdFive)
	settings.processor += fmt.Sprintf("state_directory: %q\n", directory)
	return settings
}

// killed returns what the next process would find if this one was killed now.
func killed(t *testing.T, directory string) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(directory)))
	return to
}

// afterwards lets a minute pass, and returns what came out.
func afterwards(r *rig) (numbers []uint64, links int) {
	time.Sleep(time.Minute)
	synctest.Wait()
	spans := r.sink.take()
	for _, span := range spans {
		links += span.Links().Len()
	}
	return numbersOf(spans), links
}

func requireEmpty(t *testing.T, directory string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(directory, "*.segment"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// A span that waited when its process was killed waits again, and is linked.
func TestHeldSpansComeAgainAfterAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		r := newRig(t, keeping(directory))
		r.send(t, get(2, "k"), put(7, "other"))
		r.send(t, get(3, "l"))
		r.send(t, put(4, "l"))
		next := killed(t, directory)
		numbers, links := afterwards(r)
		assert.ElementsMatch(t, []uint64{7, 4, 2, 3}, numbers)
		assert.Equal(t, 1, links)
		requireEmpty(t, directory)
		r.stop(t)

		r = newRig(t, keeping(next)) // with an empty index
		assert.Empty(t, r.sink.take())
		time.Sleep(3 * time.Second)
		again := killed(t, next)
		r.send(t, put(1, "k"))
		numbers, links = afterwards(r)
		assert.ElementsMatch(t, []uint64{1, 2, 3}, numbers)
		assert.Equal(t, 1, links)
		requireEmpty(t, next)
		r.stop(t)

		r = newRig(t, keeping(again))
		numbers, _ = afterwards(r)
		assert.ElementsMatch(t, []uint64{2, 3}, numbers)
		requireEmpty(t, again)
	})
}

// A span that was decided, and whose process was killed before the next component had it, gets the same link.
func TestDecidedSpansComeAgainAfterAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		r := newRig(t, keeping(directory))
		r.send(t, get(2, "k"))
		r.send(t, put(1, "k"))
		r.sink.take()
		r.sink.answer(errRefused)
		time.Sleep(time.Minute)
		next := killed(t, directory)

		again := &sink{}
		p := newProcessor(t, keeping(next), again)
		require.NoError(t, p.Start(t.Context(), host{defaultIndex: r.index}))
		synctest.Wait()
		pairs, edges := derived(t, again.take())
		assert.Equal(t, onePut, pairs)
		assert.Equal(t, map[edge]bool{{2, 1}: true}, edges)
		requireEmpty(t, next)
		require.NoError(t, p.Shutdown(t.Context()))

		// What the next component refuses until the end is kept too.
		require.NoError(t, r.Shutdown(t.Context()))
		r.Traces = newProcessor(t, keeping(directory), r.sink)
		r.sink.answer(nil)
		require.NoError(t, r.Start(t.Context(), host{defaultIndex: r.index}))
		numbers, links := afterwards(r)
		assert.Equal(t, []uint64{2}, numbers)
		assert.Equal(t, 1, links)
	})
}

// A batch that is refused does not come again: its sender has it.
func TestRefusedBatchesAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		r := newRig(t, keeping(directory))
		r.sink.answer(errRefused)
		require.ErrorIs(t, r.ConsumeTraces(t.Context(), batch(get(2, "k"), put(7, "other"))), errRefused)
		requireEmpty(t, directory)
	})
}

// Spans that cannot be stored do not wait.
func TestSpansThatCannotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := filepath.Join(t.TempDir(), "spans")
		r := newRig(t, keeping(directory))
		require.NoError(t, os.RemoveAll(directory))
		r.send(t, get(2, "k"), put(7, "other"))
		assert.Len(t, r.sink.take(), 2)
		r.send(t, put(1, "k"))
		pairs, _ := derived(t, r.sink.take())
		assert.Equal(t, onePut, pairs)
	})
}

func TestDirectoryIsOfOnePipeline(t *testing.T) {
	directory := t.TempDir()
	r := newRig(t, keeping(directory))
	p := newProcessor(t, keeping(directory), &sink{})
	assert.ErrorContains(t, p.Start(t.Context(), host{defaultIndex: r.index}), "state_directory: must be one that can be written, and be used in one pipeline only")
	require.NoError(t, p.Shutdown(t.Context()))
}
