// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/metadata"
)

// patience bounds what a test waits for one thing, under the race detector on a busy machine too.
const patience = time.Minute

const cpp = "2026-11-21T10:00:00.000000001+00:00 I tid=7 store.cc:12 "

// rig is a receiver that can be killed: after a kill, nothing that it does has an effect. What
// it read, stored and delivered stays.
type rig struct {
	t        *testing.T
	dir      string
	state    string // the directory of the current run
	settings func(*Config)

	mu      sync.Mutex
	batches []plog.Logs
	got     []plog.LogRecord
	refuse  error // what the pipeline returns
	refused int   // deliveries
	empties bool  // the pipeline empties the records that it refuses
	changes int   // of what is delivered
	run     *run
}

// run is the receiver between a start and its end.
type run struct {
	rig      *rig
	receiver *runtimeLog
	dead     bool // guarded by rig.mu
}

func newRig(t *testing.T, settings func(*Config)) *rig {
	r := &rig{t: t, dir: t.TempDir(), state: t.TempDir(), settings: settings}
	t.Cleanup(func() { r.kill() })
	return r
}

var errDead = errors.New("killed")

func (r *rig) start() {
	r.t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Include = []string{filepath.Join(r.dir, "*.log")}
	cfg.StartAt = "beginning"
	cfg.PollInterval = 2 * time.Millisecond
	cfg.FlushTimeout = 20 * time.Millisecond
	cfg.Location = "UTC"
	cfg.StateDirectory = r.state
	if r.settings != nil {
		r.settings(cfg)
	}
	require.NoError(r.t, cfg.Validate())
	life := &run{rig: r}
	set := receivertest.NewNopSettings(metadata.Type)
	next, err := consumer.NewLogs(life.consume)
	require.NoError(r.t, err)
	life.receiver, err = newReceiver(set, cfg, next)
	require.NoError(r.t, err)
	r.mu.Lock()
	r.run = life
	r.mu.Unlock()
	require.NoError(r.t, life.receiver.Start(r.t.Context(), componenttest.NewNopHost()))
}

// stop ends the receiver as SIGTERM does.
func (r *rig) stop() {
	r.t.Helper()
	require.NoError(r.t, r.run.receiver.Shutdown(context.Background()))
	r.run = nil
}

// kill ends the receiver as SIGKILL does: what it does from now on has no effect. The next run gets a copy of what
// is stored now.
func (r *rig) kill() {
	if r.run == nil {
		return
	}
	r.setDead(true)
	r.copyState()
	r.end()
}

// end stops a killed receiver.
func (r *rig) end() {
	_ = r.run.receiver.Shutdown(context.Background())
	r.run = nil
}

// killAtRest ends an outage, and the receiver as kill does, but at a moment when each delivery is stored.
func (r *rig) killAtRest() {
	r.answer(nil)
	locked := map[*file]bool{} // a file that delivers or stores is locked
	for found := true; found; {
		r.setDead(false)
		found = false
		for f := range r.run.receiver.files.Range {
			if one := f.(*file); !locked[one] {
				one.mu.Lock()
				locked[one], found = true, true
			}
		}
		r.setDead(true) // a file that was found meanwhile may have delivered before: look again
	}
	r.copyState()
	for f := range locked {
		f.mu.Unlock()
	}
	r.end()
}

func (r *rig) setDead(dead bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run.dead = dead
}

// copyState makes a copy of what is stored the directory of the next run.
func (r *rig) copyState() {
	left := r.state
	r.state = r.t.TempDir()
	entries, err := os.ReadDir(left)
	require.NoError(r.t, err)
	for _, entry := range entries {
		// What is being written may be renamed meanwhile.
		if value, err := os.ReadFile(filepath.Join(left, entry.Name())); err == nil {
			require.NoError(r.t, os.WriteFile(filepath.Join(r.state, entry.Name()), value, 0o600))
		}
	}
}

func (l *run) consume(_ context.Context, logs plog.Logs) error {
	l.rig.mu.Lock()
	defer l.rig.mu.Unlock()
	if l.dead {
		return errDead
	}
	if l.rig.refuse != nil {
		l.rig.refused++
		if l.rig.empties {
			logs.ResourceLogs().RemoveIf(func(plog.ResourceLogs) bool { return true })
		}
		return l.rig.refuse
	}
	l.rig.changes++
	l.rig.batches = append(l.rig.batches, logs)
	l.rig.got = append(l.rig.got, records(logs)...)
	return nil
}

// awaitQuiet waits until nothing was delivered for a while, to see records that should not come.
func (r *rig) awaitQuiet() {
	const looks = 8
	before, same := -1, 0
	require.Eventually(r.t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		if same++; before != r.changes {
			before, same = r.changes, 0
		}
		return same == looks
	}, patience, 40*time.Millisecond)
}

// polled reports whether a poll has ended since the first start.
func (r *rig) polled() bool {
	_, err := os.Stat(filepath.Join(r.state, startedName))
	return err == nil
}

// answer sets what the pipeline returns from now on. Nil accepts.
func (r *rig) answer(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse, r.refused = err, 0
}

// awaitRefusals waits until the pipeline has refused so many deliveries since the last answer.
func (r *rig) awaitRefusals(deliveries int) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.refused >= deliveries }, patience, time.Millisecond)
}

// bodies returns the bodies of a file's records so far, in order.
func (r *rig) bodies(name string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, record := range r.got {
		if file, _ := record.Attributes().Get("log.file.name"); name == "" || file.AsString() == name {
			all = append(all, record.Body().Str())
		}
	}
	return all
}

// records waits for a number of records and returns them.
func (r *rig) records(want int) []plog.LogRecord {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return len(r.bodies("")) >= want }, patience, time.Millisecond)
	time.Sleep(5 * time.Millisecond) // for records that should not come
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Len(r.t, r.got, want)
	return r.got
}

// write appends to a file.
func (r *rig) write(name, text string) {
	r.t.Helper()
	file, err := os.OpenFile(filepath.Join(r.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(r.t, err)
	_, err = file.WriteString(text)
	require.NoError(r.t, err)
	require.NoError(r.t, file.Close())
}

// rename moves a file.
func (r *rig) rename(from, to string) {
	r.t.Helper()
	require.NoError(r.t, os.Rename(filepath.Join(r.dir, from), filepath.Join(r.dir, to)))
}
