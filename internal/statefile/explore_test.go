// SPDX-License-Identifier: Apache-2.0

package statefile

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/tests/explore"
)

// TestExplore plays processes that write values to a disk with faults, against the table of guarantees.
func TestExplore(t *testing.T) {
	explore.Run(t, 2000, nil, func(t *testing.T, s *explore.Schedule) {
		w := &world{Schedule: s, t: t, rng: s.Rand("world"), disk: explore.NewDisk(), values: map[string]*value{"a": newValue(), "b": newValue()}}
		w.sync = w.rng.IntN(2) == 0
		w.dies, w.fails, w.lies = w.rng.IntN(2)*30, w.rng.IntN(2)*60, w.rng.IntN(4)/3*60
		for range 4 + w.rng.IntN(12) {
			w.live()
			w.between()
		}
	})
}

const (
	none    = "none"
	damaged = "damaged"
)

// value is what a value may be.
type value struct {
	all     []string // that were ever written
	now     []string // for the next who reads it
	durable []string // after a power failure
	unsure  bool     // a power failure may leave whatever was written, or none, or damage it
}

func newValue() *value { return &value{now: []string{none}, durable: []string{none}} }

// world is a disk, and one process after another.
type world struct {
	*explore.Schedule
	t       *testing.T
	rng     *rand.Rand
	disk    *explore.Disk
	process *explore.Process
	files   *Directory
	values  map[string]*value
	written int

	sync              bool
	dies, fails, lies int  // of 1000 calls
	faults            bool // from now on
	unsynced          bool // a sync of the last call has failed
}

// decide decides about a call of the process.
func (w *world) decide(c explore.Call) explore.Fate {
	isSync := c.Name == "sync" || c.Name == "sync directory"
	switch n := w.rng.IntN(1000); {
	case !w.faults:
	case n < w.dies:
		w.Event("kill", c.String())
		return explore.Fate{Dies: true, Bytes: w.rng.IntN(c.Bytes + 1)}
	case n < w.dies+w.fails:
		w.Event("failed "+c.Name, c.Path)
		w.unsynced = w.unsynced || isSync
		return explore.Fate{Err: syscall.EIO, Bytes: w.rng.IntN(c.Bytes + 1)}
	case isSync && n < w.dies+w.fails+w.lies:
		w.Event("lost "+c.Name, c.Path)
		for _, v := range w.values {
			v.unsure = true
		}
		return explore.Fate{Lost: true}
	}
	return explore.Fate{}
}

// live is the life of a process.
func (w *world) live() {
	w.process = w.disk.Process()
	w.process.Decide = w.decide
	w.faults = false
	settings := Settings{Path: "/state", Sync: w.sync, Telemetry: componenttest.NewNopTelemetrySettings(), Files: w.process}
	var err error
	if w.files, err = Open(settings); err != nil {
		w.Violation("a start fails: %v", err)
		return
	}
	if _, err := Open(settings); err == nil {
		w.Violation("two have the directory open")
	}
	for _, name := range []string{"a", "b"} {
		w.read(name)
	}
	w.faults = true
	for range 1 + w.rng.IntN(8) {
		name := []string{"a", "b"}[w.rng.IntN(2)]
		switch w.rng.IntN(6) {
		case 0:
			w.change(name, none, func() error { return w.files.Remove(name) })
		case 1:
			w.faults = false
			w.read(name)
			w.faults = true
		case 2:
			w.Count("full disk")
			w.disk.Capacity = w.disk.Used() + int64(w.rng.IntN(60))
			w.write(name)
			w.disk.Capacity = 1 << 30
		default:
			w.write(name)
		}
		if w.process.Dead() {
			return
		}
	}
	if w.rng.IntN(2) == 0 {
		require.NoError(w.t, w.files.Close())
	}
}

func (w *world) write(name string) {
	w.written++
	text := fmt.Sprintf("%d %s", w.written, bytes.Repeat([]byte{'x'}, w.rng.IntN(50)))
	w.change(name, text, func() error { return w.files.Write(name, []byte(text)) })
}

// change writes or removes a value, and notes what it may be from now on.
func (w *world) change(name, to string, do func() error) {
	w.unsynced = false
	err := do()
	w.Trace(fmt.Sprintf("%s becomes %q: %v", name, to, err))
	v := w.values[name]
	v.all = append(v.all, to)
	switch {
	case err == nil && !w.process.Dead():
		v.now = []string{to}
		if v.durable = v.now; !w.sync {
			v.unsure = true
		}
	case w.process.Dead(), w.unsynced:
		v.now = append(v.now, to)
		v.durable = append(v.durable, to)
		v.unsure = v.unsure || !w.sync
	case errors.Is(err, ErrDamaged):
		w.Violation("writing finds damage: %v", err)
	}
}

// read reads a value, which has to be one of those that it may be.
func (w *world) read(name string) {
	v := w.values[name]
	b, err := w.files.Read(name)
	got := string(b)
	switch {
	case errors.Is(err, ErrDamaged):
		got = damaged
	case err != nil:
		w.Violation("%s cannot be read: %v", name, err)
		return
	case b == nil:
		got = none
	}
	w.Trace(fmt.Sprintf("%s is %q", name, got))
	if !slices.Contains(v.now, got) {
		w.Violation("%s is %q, and may be %q", name, got, v.now)
	}
	if v.now = []string{got}; got == damaged {
		v.now = []string{none}
		v.durable = append(v.durable, none)
		if again, err := w.files.Read(name); again != nil || err != nil {
			w.Violation("%s is damaged a second time: %v", name, err)
		}
	}
}

// between is what happens to the files while no process runs.
func (w *world) between() {
	w.process.Kill()
	switch w.rng.IntN(8) {
	case 0, 1:
		w.Count("power failure")
		w.disk.PowerFailure(w.rng)
		for _, name := range []string{"a", "b"} {
			v := w.values[name]
			v.now = slices.Clone(v.durable)
			if v.unsure {
				v.now = append(append(v.now, none, damaged), v.all...)
			}
			v.durable, v.unsure = slices.Clone(v.now), false
		}
	case 2:
		for _, name := range []string{"a", "b"} {
			file := w.disk.File("/state/" + name)
			if file == nil || len(file.Data) == 0 || w.rng.IntN(2) == 0 {
				continue
			}
			w.Event("damage", name)
			data := bytes.Clone(file.Data)
			if i := w.rng.IntN(len(data)); w.rng.IntN(2) == 0 {
				data = data[:i]
			} else {
				data[i] ^= byte(1 + w.rng.IntN(255))
			}
			file.Data = data
			v := w.values[name]
			v.now, v.durable = []string{damaged}, append(slices.Clone(v.durable), damaged)
		}
	}
}
