package runtimelogreceiver

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is known of files that nothing is read of goes, in memory and in the storage,
// but not what is held, and not in an outage, in which nothing can be read.
func TestIdleFilesAreForgotten(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.write("a.log", cpp+"one\n")
	r.write("b.log", "INFO 11-21 10:00:01 [t] trace_id=- span_id=- s.py:8: two\n")
	r.records(2)
	r.settled()
	r.stop()

	r.start()
	require.Eventually(t, r.polled, 5*time.Second, time.Millisecond)
	receiver := r.run.receiver
	look := func(after time.Duration) {
		for _, f := range receiver.files.list() {
			f.mu.Lock()
			receiver.flushFile(context.Background(), f, time.Now().Add(after))
			f.mu.Unlock()
		}
	}
	stored := func() (entries int) {
		for i := range receiver.progress.slots {
			entries += len(receiver.progress.slots[i].entries)
		}
		return entries
	}
	require.Len(t, receiver.files.list(), 2, "restored")
	look(idleTimeout / 2)
	assert.Len(t, receiver.files.list(), 2)
	receiver.outage.begin()
	look(2 * idleTimeout)
	assert.Len(t, receiver.files.list(), 2)
	receiver.outage.end()
	look(2 * idleTimeout)
	assert.Empty(t, receiver.files.list())
	assert.Zero(t, stored())
}
