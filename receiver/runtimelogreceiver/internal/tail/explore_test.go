// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tail

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/explore"
)

// seeds found something once: an archive that came twice because it had got another one's inode (5676),
// because its text began as another's (22), or because it was renamed during a poll (1930); lines lost because copies
// (66, 4429, 41498) or archives (4909) were taken for others.
var seeds = []uint64{22, 66, 1930, 4429, 4909, 5676, 41498}

// TestExplore plays what writers, rotations and agents do to a directory of logs, as a seed decides. Package tail
// lists the invariants.
func TestExplore(t *testing.T) {
	explore.Run(t, 300, seeds, func(t *testing.T, s *explore.Schedule) {
		w := newWorld(t, s)
		defer w.leave()
		for range 30 + w.rng.IntN(90) {
			w.step()
			w.reap()
		}
		w.settle()
	})
}

// world is the logs of some containers, what rotates and compresses them, and one agent after another.
type world struct {
	*explore.Schedule
	t   *testing.T
	rng *rand.Rand
	dir string
	cfg Config

	logs   []*log
	lines  []*line
	jobs   [][]func() // what is under way: its next steps
	free   []string   // files without a name in a log, whose inodes are given to new files
	serial int
	split  []string // beginnings of lines that went out as records of their own

	agent  *agent
	agents int
	stored map[uint64]position // as a kill leaves it
	past   []storing
	locked bool // the agent polls
	depth  int  // how many reads are under way
	calm   bool // no more faults

	// How often things happen in this schedule, of 1000.
	late, fails, kills, power, reuse, rotates int
	banner                                    string // at the beginning of each file
	size                                      int    // of a long write, in lines
}

// log is the log of one container.
type log struct {
	base    string // the path without a number
	style   string
	current *content
	rotated []*content // the oldest first
	partial *line      // what is written of it is in current
	left    string
	number  int
	busy    bool
}

// content is a file.
type content struct {
	path, link string
	text       []byte // uncompressed
	lines      []*line
	packed     bool
	busy       bool
	last       *int // the number of the last line that was delivered, of all copies
}

// line is one line. Its text is unique.
type line struct {
	text               string
	last               *int
	places             int // files that have it, where the agent looks
	delivered, allowed int
	excused            bool // it was not readable for long enough
	hanging            bool // only an open file without a name has it
}

// position is what is stored of a file.
type position struct{ json, held string }

// storing is a change of what is stored, and what was delivered before.
type storing struct {
	stored map[uint64]position
	lines  []*line
}

// agent is a Tailer from its start to its end.
type agent struct {
	*world
	*Tailer
	ctx     context.Context // for the Tailer
	stopped context.Context // the same, without side effects
	cancel  context.CancelFunc
	readers map[uint64]*player
	dead    bool // killed: whatever it does has no effect
	failing bool // a position could not be stored
}

var packer, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed)

func newWorld(t *testing.T, s *explore.Schedule) *world {
	w := &world{Schedule: s, t: t, rng: s.Rand("world"), stored: map[uint64]position{}}
	var err error
	w.dir, err = os.MkdirTemp(shared(), "tail") //nolint:usetesting // in memory, where there is such a file system
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(w.dir) })
	some := func(of ...int) int { return of[w.rng.IntN(len(of))] }
	w.late, w.fails, w.kills, w.power = some(0, 20, 200), some(0, 0, 100), some(0, 5, 30), some(0, 0, 100)
	w.reuse, w.rotates = some(0, 500, 1000), some(0, 0, 700)
	w.size = some(1, 5, 5, 60, 2000)
	w.banner = strings.Repeat("a banner of this container\n", some(0, 0, 0, 1, 4, 60))
	for i := range 1 + w.rng.IntN(3) {
		dir := filepath.Join(w.dir, "pods", strconv.Itoa(i))
		require.NoError(t, os.MkdirAll(dir, 0o700))
		style := []string{"kubelet", "kubelet", "direct", "shift", "copy", "link"}[w.rng.IntN(6)]
		w.logs = append(w.logs, &log{base: filepath.Join(dir, "x.log"), style: style})
	}
	for _, dir := range []string{"free", "linked"} {
		require.NoError(t, os.Mkdir(filepath.Join(w.dir, dir), 0o700))
	}
	w.cfg = Config{
		Include: []string{filepath.Join(w.dir, "pods", "*", "*.log*")}, Exclude: []string{filepath.Join(w.dir, "pods", "*", "*.tmp")},
		Roots: []string{filepath.Join(w.dir, "linked")}, MaxOpen: some(4, 8, 64, 64, 64),
		Owner:   filepath.Dir,
		Skipped: func(_ string, reason Reason, _ error) { w.Count("skipped as " + string(reason)) },
		Zeros:   func(int64) {}, Polled: func() {},
	}
	return w
}

// shared is a file system in memory, if there is one.
func shared() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// Trace notes what happens, with paths that are the same when a seed is played again.
func (w *world) Trace(text string) { w.Schedule.Trace(strings.ReplaceAll(text, w.dir+"/", "")) }

// Event counts a fault, in the same way.
func (w *world) Event(kind, detail string) {
	w.Schedule.Event(kind, strings.ReplaceAll(detail, w.dir+"/", ""))
}

func (w *world) in(thousand int) bool { return !w.calm && w.rng.IntN(1000) < thousand }

// step does one thing.
func (w *world) step() {
	switch n := w.rng.IntN(100); {
	case n < 45 || w.locked:
		w.stepOfFiles()
	case n < 55:
		w.sleep()
	case w.agent == nil:
		if w.depth == 0 && n < 80 {
			w.start()
		}
	case w.agent.ends():
	case n < 75:
		w.poll()
	case n < 95:
		for range 1 + w.rng.IntN(4) {
			w.turn()
		}
	case n < 98:
		w.Event("stop", "")
		w.agent.cancel()
	default:
		w.Event("kill between reads", "")
		w.agent.dead = true
	}
}

// meanwhile lets others do something while a part of the agent waits.
func (w *world) meanwhile() {
	if w.depth < len(buffers) && w.in(w.late) {
		w.Event("something happens during a read", "")
		for range 1 + w.rng.IntN(4) {
			w.step()
		}
	}
}

func (w *world) sleep() {
	milliseconds := []int{50, 200, 200, 1000, 1500, 5000, 30_000}[w.rng.IntN(7)]
	if w.rng.IntN(40) == 0 {
		w.Count("nothing for eleven minutes")
		milliseconds = 660_000
	}
	w.pass(time.Duration(1+w.rng.IntN(milliseconds)) * time.Millisecond)
}

func (w *world) pass(d time.Duration) {
	w.Trace(fmt.Sprint("pause ", d))
	time.Sleep(d)
}

// stepOfFiles is what others do to files.
func (w *world) stepOfFiles() {
	l := w.logs[w.rng.IntN(len(w.logs))]
	switch n := w.rng.IntN(20); {
	case len(w.jobs) > 0 && (n < 5 || w.in(w.rotates)):
		w.advance(w.rng.IntN(len(w.jobs)))
	case w.in(w.rotates / 2):
		w.rotate(l)
		w.compress(l)
	case n < 12:
		w.write(l)
	case n < 15:
		w.rotate(l)
	case n < 17:
		w.compress(l)
	case n < 18:
		w.forget(l)
	case n < 19:
		w.restart(l)
	}
}

func (w *world) advance(i int) {
	next := w.jobs[i][0]
	w.jobs[i] = w.jobs[i][1:]
	if len(w.jobs[i]) == 0 {
		w.jobs = slices.Delete(w.jobs, i, i+1)
	}
	next()
}

// touch sets the time of a file's last write by the clock of the schedule.
func (w *world) touch(path string) {
	now := time.Now()
	if w.in(20) {
		w.Count("clock of a writer is wrong")
		now = now.Add(time.Duration(w.rng.IntN(7200)-3600) * time.Second)
	}
	require.NoError(w.t, os.Chtimes(path, now, now))
}

// create makes a file, which may get the inode of a deleted one.
func (w *world) create(path string, data []byte) {
	if len(w.free) > 0 && w.in(w.reuse) {
		i := w.rng.IntN(len(w.free))
		w.Event("inode reused", path)
		require.NoError(w.t, os.Truncate(w.free[i], 0))
		require.NoError(w.t, os.Rename(w.free[i], path))
		w.free = slices.Delete(w.free, i, i+1)
	}
	w.append(path, data)
}

func (w *world) append(path string, data []byte) {
	w.Trace(fmt.Sprintf("append %d bytes to %s", len(data), path))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(w.t, err)
	_, err = f.Write(data)
	require.NoError(w.t, err)
	require.NoError(w.t, f.Close())
	w.touch(path)
}

// open begins a new file of a log.
func (w *world) open(l *log, path string) {
	w.Trace("open " + path)
	c := &content{path: path, last: new(int), text: []byte(w.banner)}
	if l.style == "link" {
		w.serial++
		c.link, c.path = path, filepath.Join(w.dir, "linked", fmt.Sprint(w.serial, ".log"))
		_ = os.Remove(path)
		require.NoError(w.t, os.Symlink(c.path, path))
	}
	w.create(c.path, c.text)
	l.current, l.partial, l.left = c, nil, ""
}

// write appends lines to a log. The last one may be completed later.
func (w *world) write(l *log) {
	if l.current == nil {
		if !l.busy {
			w.open(l, l.base)
		}
		return
	}
	c := l.current
	var text strings.Builder
	text.WriteString(l.left)
	if l.partial != nil {
		w.wrote(c, l.partial)
		l.partial, l.left = nil, ""
	}
	first := len(w.lines)
	for range 1 + w.rng.IntN(w.size) {
		n := len(w.lines)
		one := &line{text: fmt.Sprintf("%06d%s\n", n, strings.Repeat(fmt.Sprint(" ", n), n*n%29)), last: c.last, allowed: 1}
		w.lines = append(w.lines, one)
		if w.rng.IntN(12) == 0 {
			cut := w.rng.IntN(len(one.text))
			text.WriteString(one.text[:cut])
			l.partial, l.left = one, one.text[cut:]
			break
		}
		text.WriteString(one.text)
		w.wrote(c, one)
	}
	w.Trace(fmt.Sprintf("write %d.. to %s", first, c.path))
	c.text = append(c.text, text.String()...)
	w.append(c.path, []byte(text.String()))
}

func (w *world) wrote(c *content, one *line) {
	c.lines = append(c.lines, one)
	one.places++
}

// rename gives a file another name.
func (w *world) rename(c *content, to string) {
	w.Trace(fmt.Sprintf("rename %s to %s", c.path, to))
	require.NoError(w.t, os.Rename(c.path, to))
	c.path = to
}

// lose takes lines out of a file.
func (w *world) lose(lines []*line, open bool) {
	for _, one := range lines {
		if one.places--; one.places == 0 && one.delivered == 0 {
			one.hanging, one.excused = open, !open
		}
	}
}

// unlink removes a file.
func (w *world) unlink(c *content) {
	info, err := os.Stat(c.path)
	require.NoError(w.t, err)
	open := w.opened(identify(c.path, info))
	w.Trace(fmt.Sprintf("remove %s, open %t", c.path, open))
	if !open && w.in(w.reuse) {
		w.serial++
		to := filepath.Join(w.dir, "free", strconv.Itoa(w.serial))
		require.NoError(w.t, os.Rename(c.path, to))
		w.free = append(w.free, to)
	} else {
		require.NoError(w.t, os.Remove(c.path))
	}
	w.lose(c.lines, open && !w.agent.starving && !w.agent.ends())
}

// opened reports whether the agent has a file open.
func (w *world) opened(id identity) bool {
	return w.agent != nil && slices.ContainsFunc(w.agent.files, func(f *file) bool { return f.descriptor != nil && f.id == id })
}

// rotate begins a rotation of a log.
func (w *world) rotate(l *log) {
	if l.current == nil || l.busy || len(l.current.lines) == 0 || l.style == "link" {
		return
	}
	w.Event("rotation, "+l.style, l.base)
	l.busy = true
	done := func() { l.busy = false }
	c := l.current
	var steps []func()
	if l.style == "shift" || l.style == "copy" {
		for i, old := range l.rotated {
			if old.busy {
				l.busy = false
				return // the program that compresses it locks the others out
			}
			number := len(l.rotated) - i + 1
			steps = append(steps, func() {
				to := fmt.Sprint(l.base, ".", number)
				if old.packed {
					to += archiveSuffix
				}
				w.rename(old, to)
			})
		}
	}
	l.number++
	to := fmt.Sprintf("%s.2026%04d", l.base, l.number)
	if l.style == "shift" || l.style == "copy" {
		to = l.base + ".1"
	}
	if l.style == "copy" {
		w.jobs = append(w.jobs, append(steps, w.copySteps(l, to, done)...))
		return
	}
	steps = append(steps, func() {
		w.rename(c, to)
		l.rotated = append(l.rotated, c)
		c.busy = true // the program still writes into it
	}, func() {
		if c.busy = false; l.partial != nil && w.rng.IntN(3) > 0 {
			w.finish(l)
		}
		w.open(l, l.base)
		done()
	})
	w.jobs = append(w.jobs, steps)
}

// finish completes the last line of a log.
func (w *world) finish(l *log) {
	if l.partial != nil {
		l.current.text = append(l.current.text, l.left...)
		w.append(l.current.path, []byte(l.left))
		w.wrote(l.current, l.partial)
		l.partial, l.left = nil, ""
	}
}

// copySteps copies a file, and then truncates it. What others do meanwhile can make lines come again: README.
func (w *world) copySteps(l *log, to string, done func()) []func() {
	c := l.current
	d := &content{path: to, last: c.last, busy: true}
	half, atOnce := 0, w.rng.IntN(3) == 0
	steps := []func(){func() {
		w.finish(l)
		d.text, d.lines = bytes.Clone(c.text), slices.Clone(c.lines)
		allow(d.lines) // README: it may repeat what is in the copy
		half = w.rng.IntN(len(d.text))
		w.create(to, d.text[:half])
	}, func() {
		w.append(to, d.text[half:])
		w.show(d)
		l.rotated = append(l.rotated, d)
	}, func() {
		w.Trace("truncate " + c.path)
		require.NoError(w.t, os.Truncate(c.path, 0))
		allow(c.lines[len(d.lines):])
		w.lose(c.lines, false)
		c.lines, c.text, c.last, l.partial, l.left = nil, nil, new(int), nil, ""
		w.append(c.path, []byte(w.banner))
		c.text = []byte(w.banner)
		d.busy = false
		done()
	}}
	if atOnce {
		return []func(){func() {
			for _, step := range steps {
				step()
			}
		}}
	}
	return steps
}

// show notes that the lines of a file are where the agent looks.
func (w *world) show(c *content) {
	for _, one := range c.lines {
		one.places++
	}
}

// compress begins to compress a rotated file, as slowly as others let it.
func (w *world) compress(l *log) {
	i := slices.IndexFunc(l.rotated, func(c *content) bool { return !c.packed && !c.busy })
	if i < 0 || l.busy {
		return
	}
	c := l.rotated[i]
	w.Event("compression", c.path)
	var to bytes.Buffer
	packer.Reset(&to)
	_, _ = packer.Write(c.text)
	require.NoError(w.t, packer.Close())
	half := w.rng.IntN(to.Len())
	temporary, path := c.path+".tmp", c.path+archiveSuffix
	if l.style != "kubelet" {
		temporary = path
	}
	d := &content{path: temporary, lines: c.lines, packed: true, last: c.last, busy: true}
	c.busy = true
	steps := []func(){func() { w.create(temporary, to.Bytes()[:half]) }, func() { w.append(temporary, to.Bytes()[half:]) }}
	if l.style == "kubelet" {
		steps = append(steps, func() { w.rename(d, path); w.show(d) })
	} else {
		steps[1] = func() { w.append(temporary, to.Bytes()[half:]); w.show(d) }
	}
	w.jobs = append(w.jobs, append(steps, func() {
		w.unlink(c)
		l.rotated[slices.Index(l.rotated, c)] = d
		d.busy = false
	}))
}

// forget removes the oldest file of a log.
func (w *world) forget(l *log) {
	if len(l.rotated) > 0 && !l.rotated[0].busy && !l.busy {
		w.Event("removal", l.rotated[0].path)
		w.unlink(l.rotated[0])
		l.rotated = l.rotated[1:]
	}
}

// restart begins another file, as a new container of a pod does. The one before stays for a while.
func (w *world) restart(l *log) {
	if l.busy || l.current == nil || l.style == "shift" || l.style == "copy" {
		return
	}
	w.Event("container restarted", l.base)
	l.number++
	if l.style == "link" {
		w.unlink(l.current)
		w.open(l, l.base)
		return
	}
	l.rotated = append(l.rotated, l.current)
	l.base = fmt.Sprintf("%s.%d.log", strings.SplitN(l.base, ".log", 2)[0], l.number)
	w.open(l, l.base)
}

// start starts an agent with what is stored.
func (w *world) start() {
	w.Event("start", "")
	w.agents++
	a := &agent{world: w, readers: map[uint64]*player{}}
	ctx, cancel := context.WithCancel(context.Background())
	a.ctx, a.stopped, a.cancel = hooked{ctx, a}, ctx, cancel
	cfg := w.cfg
	cfg.NewReader = func() Reader { w.serial++; return a.player(uint64(w.serial)) }
	a.Tailer = New(cfg)
	for _, id := range slices.Sorted(maps.Keys(w.stored)) {
		var at Checkpoint
		require.NoError(w.t, json.Unmarshal([]byte(w.stored[id].json), &at))
		p := a.player(id)
		p.held = w.stored[id].held
		a.Restore(at, p)
	}
	w.agent = a
}

// ends reports whether the agent was killed, or is told to stop.
func (a *agent) ends() bool { return a.dead || a.stopped.Err() != nil }

// hooked is a context that others use to do something where the agent looks at it.
type hooked struct {
	context.Context
	*agent
}

func (h hooked) Err() error {
	if h.world.agent == h.agent && !h.ends() && h.depth < len(buffers) && h.in(h.late/4) {
		h.step()
	}
	return h.Context.Err()
}

func (w *world) poll() {
	w.Trace("poll")
	w.locked = true
	w.agent.pollOnce(w.agent.ctx)
	w.locked = false
	a := w.agent
	open := 0
	for _, f := range a.files {
		if f.descriptor != nil {
			open++
		}
	}
	if open != a.Tailer.open || open > a.MaxOpen+1 {
		w.Violation("%d files are open, counted as %d, of at most %d", open, a.Tailer.open, a.MaxOpen)
	}
}

// turn is what a worker does.
func (w *world) turn() {
	a := w.agent
	if a == nil || len(a.queue) == 0 || a.ends() || w.depth == len(buffers) {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	f := a.take()
	out := a.Tailer.turn(a.ctx, f, buffers[w.depth-1])
	w.meanwhile()
	a.put(f, out)
}

var buffers = [4][]byte{make([]byte, bufferBytes), make([]byte, bufferBytes), make([]byte, bufferBytes), make([]byte, bufferBytes)}

// reap ends an agent that was killed or stopped, when none of its reads is under way.
func (w *world) reap() {
	a := w.agent
	if a == nil || !a.ends() {
		return
	}
	w.leave()
	for _, p := range a.readers {
		if len(p.unstored) > MaxLines && !a.failing {
			w.Violation("%d lines were delivered and not stored", len(p.unstored))
		}
		allow(p.unstored)
	}
	if a.dead && len(w.past) > 0 && w.in(w.power) {
		keep := w.rng.IntN(len(w.past))
		w.Event("power failure", fmt.Sprint("loses ", len(w.past)-keep, " positions"))
		for _, later := range w.past[keep:] {
			allow(later.lines)
		}
		w.stored, w.past = w.past[keep].stored, w.past[:keep]
	}
	for _, one := range w.lines {
		if one.hanging {
			one.hanging, one.excused = false, true
		}
	}
}

// allow lets lines come once more.
func allow(lines []*line) {
	for _, one := range lines {
		one.allowed++
	}
}

// leave closes the files of an agent.
func (w *world) leave() {
	if w.agent == nil {
		return
	}
	w.agent.cancel()
	for _, f := range w.agent.files {
		f.close()
	}
	w.agent = nil
}

// player is a Reader that delivers, and stores positions.
type player struct {
	*agent
	id       uint64
	path     string
	held     string // the beginning of a line
	unstored []*line
	failed   bool
}

func (a *agent) player(id uint64) *player {
	p := &player{agent: a, id: id}
	a.readers[id] = p
	return p
}

var errEnds = errors.New("the agent ends")

func (p *player) Read(_ context.Context, text []byte, at Checkpoint) error {
	if p.failed {
		return errEnds
	}
	p.meanwhile()
	if p.ends() && p.rng.IntN(2) == 0 {
		p.Count("refused until the end")
		p.failed = true
	}
	if p.failed || p.dead {
		return errEnds
	}
	all := p.held + string(text)
	p.held = ""
	for piece := range strings.SplitAfterSeq(all, "\n") {
		if strings.HasSuffix(piece, "\n") {
			p.deliver(piece)
		} else {
			p.held = piece
		}
	}
	return p.store(at)
}

// store stores a position.
func (p *player) store(at Checkpoint) error {
	if p.in(p.kills) {
		p.Event("kill before a position is stored", p.path)
		p.dead = true
		return errEnds
	}
	if p.in(p.fails) {
		p.Count("position not stored")
		p.failing = true
		return nil
	}
	value, err := json.Marshal(at)
	require.NoError(p.t, err)
	p.Trace(fmt.Sprintf("%s: store %d of %d", p.path, at.Offset, p.id))
	p.change(func() { p.stored[p.id] = position{string(value), p.held} })
	p.unstored = nil
	if p.in(p.kills) {
		p.Event("kill after a position is stored", p.path)
		p.dead = true
		return errEnds
	}
	return nil
}

func (p *player) change(do func()) {
	if p.power > 0 {
		p.past = append(p.past, storing{maps.Clone(p.stored), p.unstored})
	}
	do()
}

// deliver takes a line.
func (p *player) deliver(text string) {
	one := p.find(text)
	if one == nil {
		if !strings.HasSuffix(p.banner, text) {
			p.Violation("%s: nobody wrote %.80q", p.path, text)
		}
		return
	}
	n, _ := strconv.Atoi(one.text[:6])
	p.Trace(fmt.Sprintf("%s: line %d, %d before", p.path, n, one.delivered))
	if one.delivered++; one.delivered > one.allowed {
		p.Violation("%s: line %d came %d times", p.path, n, one.delivered)
	}
	one.hanging = false
	p.unstored = append(p.unstored, one)
	if one.delivered == 1 {
		if n < *one.last {
			p.Violation("%s: line %d came after %d", p.path, n, *one.last)
		}
		*one.last = n
	}
}

// find returns the line with a text, or with the end of one whose beginning went out before.
func (w *world) find(text string) *line {
	for i := len(w.split); i >= 0; i-- {
		all := text
		if i < len(w.split) {
			all = w.split[i] + text
		}
		if len(all) > 6 {
			if n, err := strconv.Atoi(all[:6]); err == nil && n < len(w.lines) && w.lines[n].text == all {
				return w.lines[n]
			}
		}
	}
	return nil
}

func (p *player) Renamed(path string) { p.path = path }

func (p *player) Ended(context.Context) error {
	if p.failed || p.dead {
		return errEnds
	}
	if p.held != "" {
		for _, before := range p.split {
			p.split = append(p.split, before+p.held)
		}
		p.split, p.held = append(p.split, p.held), ""
	}
	return nil
}

func (p *player) Forgotten(context.Context) {
	if !p.dead {
		p.Trace(fmt.Sprintf("%s: forget %d", p.path, p.id))
		p.change(func() { delete(p.stored, p.id) })
	}
}

// settle ends all faults, and lets agents read what is left. Then it looks at what came.
func (w *world) settle() {
	w.calm = true
	for len(w.jobs) > 0 {
		w.advance(0)
	}
	for range 2 {
		if w.agent == nil {
			w.start()
		}
		for _, pause := range []time.Duration{0, 0, archiveRest, archiveRest, archiveRest, goneGrace, goneGrace, copyWait, copyWait} {
			w.pass(pause + time.Millisecond)
			w.poll()
			for len(w.agent.queue) > 0 {
				w.turn()
			}
		}
		w.Trace("stop, calm")
		for n, one := range w.lines {
			if one.delivered == 0 && !one.excused && one.places > 0 || one.hanging {
				w.Violation("line %d did not come", n)
			}
		}
		w.agent.cancel()
		w.reap()
	}
}
