// SPDX-License-Identifier: Apache-2.0

//go:build !race

// The goroutines of a schedule take turns on one processor, and share its random numbers without a lock.

package rendezvousexporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
	judge "github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/internal/disk"
	"github.com/otelcol-tc/otelcol-tc/tests/explore"
)

// found are the seeds that found something. They find it again as long as the schedules of these seeds stay the same.
var found = []uint64{
	1,       // directories that were made were not synced
	66,      // dead letters were not synced
	46,      // a dead letter was behind a torn line
	18711,   // a damaged record behind a refused one stopped the queue
	18992,   // a look behind a record that could not be read removed one too many
	89564,   // a look behind a record that could not be read once let others overtake it
	130451,  // a dead letter was behind a torn line that could not be read
	361498,  // a number of records that was too low said that all in the queue is refused
	34231,   // copies of the first parts of a request filled the queue, and the last part got no room
	441153,  // a power failure left parts of two dead letters, which readLetters took for a third one
	513107,  // the ledger missed what a gateway without dead letters had died of three times
	884235,  // an empty file of a dead letter whose write failed stayed, and readLetters took it for one
	965998,  // what a failed write had left in a segment took room that nobody counted
	1511750, // the ledger expected order of what a gateway had died of three times, and what it had sent before came late
}

// TestExplore plays senders, an agent with spillover, and behind it a backend, several by rendezvous, or gateways with
// spillover and a backend behind them. Processes die at any system call and come again, disks fail, fill up and lose
// what was not synced, next hops answer late, twice, wrongly, or not. In the end all of that stops, and then each item
// that was accepted is delivered or a dead letter, once if nobody was unsure about it, and in the order of its stream.
func TestExplore(t *testing.T) {
	explore.Run(t, 500, found, func(t *testing.T, s *explore.Schedule) { newWorld(t, s).play() })
}

// world is the topology of one schedule.
type world struct {
	*explore.Schedule
	t         *testing.T
	random    *rand.Rand // of the topology
	ledger    explore.Ledger
	agent     *process
	processes []*process // the agent first
	hops      []*hop     // backends
	links     []*link
	running   sync.WaitGroup // what ends before the last part of a schedule
	calls     sync.WaitGroup // what may go on longer
	span      time.Duration  // of the faults
}

// target is what a call reaches.
type target interface {
	take(ctx context.Context, ids []int, batch plog.Logs) (err error, answered bool)
}

func newWorld(t *testing.T, s *explore.Schedule) *world {
	w := &world{Schedule: s, t: t, random: s.Rand("world")}
	r := w.random
	w.span = time.Duration(1+r.IntN(40)) * time.Second
	w.agent = w.newProcess("agent")
	switch n := 1 + r.IntN(3); r.IntN(4) {
	case 0, 1: // a backend, as a stock exporter sends to it
		w.agent.links = w.linksTo(w.agent, w.newHop("backend"))
	case 2:
		w.agent.rendezvous = true
		for i := range n {
			w.agent.links = append(w.agent.links, w.linksTo(w.agent, w.newHop(fmt.Sprint("backend", i)))...)
		}
	case 3:
		w.agent.rendezvous = true
		backend := w.newHop("backend")
		for i := range n {
			gateway := w.newProcess(fmt.Sprint("gateway", i))
			gateway.links = w.linksTo(gateway, backend)
			w.agent.links = append(w.agent.links, w.linksTo(w.agent, gateway)...)
		}
	}
	return w
}

func (w *world) play() {
	for _, p := range w.processes {
		p.start()
		w.running.Go(p.live)
	}
	for _, h := range w.hops {
		w.running.Go(h.change)
	}
	for _, l := range w.links {
		w.running.Go(l.change)
	}
	for stream := range 1 + w.random.IntN(4) {
		w.running.Go(func() { w.send(stream) })
	}
	w.running.Wait()
	w.Trace("faults end")
	w.drain()
	for _, p := range w.processes {
		p.stop(true)
		p.clearLetters()
	}
	w.calls.Wait()
	time.Sleep(time.Minute) // calls that nobody waits for
	w.ledger.Check(w.Schedule, len(w.processes) <= 2)
}

// drain waits until all has arrived. What was refused needs something else that is accepted.
func (w *world) drain() {
	for i := range 200 {
		for _, p := range w.processes {
			p.clearLetters()
		}
		if len(w.ledger.Missing()) == 0 {
			return
		}
		w.request(w.Rand(fmt.Sprint("probe", i)), 100+i, 1)
		time.Sleep(10 * time.Second)
	}
}

// send sends requests, one after the other.
func (w *world) send(stream int) {
	r := w.Rand(fmt.Sprint("sender", stream))
	most := 1 + r.IntN(6)
	for range 1 + r.IntN(12) {
		time.Sleep(rand0(r, w.span/6))
		w.request(r, stream, 1+r.IntN(most))
	}
}

func rand0(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(most) + 1))
}

// request sends items until they are accepted or refused for good, or the sender has lost patience.
func (w *world) request(r *rand.Rand, stream, items int) {
	batch := plog.NewLogs()
	rl := batch.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutInt("stream", int64(stream))
	records := rl.ScopeLogs().AppendEmpty().LogRecords()
	var ids []int
	for range items {
		id := w.ledger.Offer(stream)
		record := records.AppendEmpty()
		record.SetTimestamp(1)
		record.SetObservedTimestamp(1)
		record.Body().SetInt(int64(id))
		if r.IntN(3) == 0 {
			record.SetEventName(strings.Repeat("x", r.IntN(300)))
		}
		ids = append(ids, id)
	}
	if r.IntN(3) == 0 {
		batch.MarkReadOnly()
	}
	for range 1 + r.IntN(8) {
		again := batch
		if !batch.IsReadOnly() {
			again = copyOf(batch)
		}
		ctx, cancel := context.WithCancel(context.Background())
		if r.IntN(2) == 0 {
			ctx, cancel = context.WithTimeout(ctx, rand0(r, 10*time.Second))
		}
		err, _ := w.agent.take(ctx, ids, again)
		cancel()
		w.Trace(fmt.Sprintf("stream %d: %v: %v", stream, ids, err))
		switch {
		case err == nil:
			w.ledger.Accepted(ids)
			return
		case status.Code(err) == codes.InvalidArgument, status.Code(err) == codes.Internal:
			return
		}
		w.ledger.Unsure(ids)
		time.Sleep(rand0(r, 3*time.Second))
	}
}

func copyOf(batch plog.Logs) plog.Logs {
	own := plog.NewLogs()
	batch.CopyTo(own)
	return own
}

// idsOf returns the numbers of the items in a batch.
func idsOf(batch plog.Logs) (ids []int) {
	records(batch)(func(_ plog.ResourceLogs, _ plog.ScopeLogs, record plog.LogRecord) bool {
		ids = append(ids, int(record.Body().Int()))
		return true
	})
	return ids
}

// allNumbered reports whether all items of a batch have a number. Parts of two lines may be a line that can be decoded.
func allNumbered(batch plog.Logs) bool {
	all := true
	records(batch)(func(_ plog.ResourceLogs, _ plog.ScopeLogs, record plog.LogRecord) bool {
		all = record.Body().Type() == pcommon.ValueTypeInt
		return all
	})
	return all
}

// process is a collector with spillover, which dies and comes again, with its disk.
type process struct {
	*world
	name       string
	random     *rand.Rand
	disk       *explore.Disk
	cfg        *spilloverconnector.Config
	links      []*link
	rendezvous bool
	bad        bool         // the disk fails now
	last       bool         // its next life does not end
	weak       bool         // what is on disk does not survive a power failure
	seen       map[int]bool // items that came
	deaths     map[int]int  // how often the process may have died of an item before it arrived
	yields     int          // one of so many calls lets others go first

	mu   sync.Mutex
	life *life // nil while it is down
}

// life is one process from its start to its end.
type life struct {
	*process
	files    *explore.Process
	logs     connector.Logs
	exporter *rendezvous[plog.Logs]
	ended    chan struct{} // closed when it dies
	deathAt  int           // the system call that it does not survive

	mu       sync.Mutex
	call     int
	unread   int          // reads that failed, one after the other
	flying   map[int]bool // items that were sent from the queue, and may come again
	complex  bool         // it cannot be told when they do not any more
	removing int          // how many writes of the head until they do not
	leaving  map[int]bool // they do not, once the head is synced
}

func (w *world) newProcess(name string) *process {
	r := w.Rand(name)
	cfg := spilloverconnector.NewFactory().CreateDefaultConfig().(*spilloverconnector.Config)
	cfg.Directory = "/spillover"
	cfg.Fsync = r.IntN(2) == 0
	cfg.DeadLetterSize = r.IntN(20) * r.IntN(1000)
	p := &process{world: w, name: name, random: r, disk: explore.NewDisk(), cfg: cfg, weak: !cfg.Fsync}
	p.seen, p.deaths = map[int]bool{}, map[int]int{}
	p.yields = []int{0, 5, 30}[r.IntN(3)]
	p.change()
	w.processes = append(w.processes, p)
	return p
}

// change gives the next life other settings.
func (p *process) change() {
	cfg, r := *p.cfg, p.random
	cfg.Patience = 10*time.Millisecond + rand0(r, 5*time.Second)
	cfg.Batch.FlushTimeout = rand0(r, 50*time.Millisecond)
	cfg.Batch.MinSize = 1 + r.IntN(1000)
	cfg.Batch.MaxSize = cfg.Batch.MinSize + r.IntN(2000)
	cfg.NumConsumers = 1 + r.IntN(4)
	cfg.QueueSize = 4000 + cfg.Batch.MaxSize*(2+r.IntN(20)) // the largest request fits
	cfg.MinFree = r.IntN(2) * r.IntN(1000)
	p.cfg = &cfg
	p.Trace(fmt.Sprintf("%s: %+v", p.name, cfg))
}

// start starts the process, again and again if it dies meanwhile.
func (p *process) start() {
	for {
		l := &life{process: p, files: p.disk.Process(), ended: make(chan struct{}), flying: map[int]bool{}}
		l.files.Decide, l.files.Reads = l.decide, true
		if !p.last && p.random.IntN(4) == 0 {
			l.deathAt = 1 + p.random.IntN([]int{10, 50, 300}[p.random.IntN(3)])
		}
		err := l.start()
		if err == nil {
			p.mu.Lock()
			p.life = l
			p.mu.Unlock()
			return
		}
		if !l.files.Dead() {
			p.Violation("%s does not start: %v", p.name, err)
		}
		l.die()
		l.blame()
		_ = l.logs.Shutdown(context.Background())
		p.lose()
	}
}

func (l *life) start() error {
	send := l.export
	if l.rendezvous {
		set := exportertest.NewNopSettings(metadata.Type)
		cfg := defaultConfig().(*Config)
		cfg.Endpoints = []string{"there:1"}
		var err error
		if l.exporter, err = newRendezvous(set, cfg, logs); err != nil {
			return err
		}
		l.exporter.pool.dial = func(name string) (client[plog.Logs], error) {
			return &conn{life: l, link: l.links[name[len(name)-1]-'1']}, nil
		}
		if err := l.exporter.pool.update(l.endpoints(len(l.links))); err != nil {
			return err
		}
		timeout := 5*time.Second + rand0(l.random, 10*time.Second)
		send = func(ctx context.Context, batch plog.Logs) error {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			return l.exporter.push(ctx, batch)
		}
	}
	next, err := consumer.NewLogs(func(ctx context.Context, batch plog.Logs) error { return l.next(ctx, batch, send) })
	if err != nil {
		return err
	}
	set := connectortest.NewNopSettings(component.MustNewType("spillover"))
	set.ID = component.NewID(component.MustNewType("spillover"))
	if l.logs, err = spilloverconnector.NewFactory().CreateLogsToLogs(context.Background(), set, l.cfg, next); err != nil {
		return err
	}
	return l.logs.Start(disk.With(context.Background(), l.files), componenttest.NewNopHost())
}

// endpoints returns some names of endpoints.
func (l *life) endpoints(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint("hop:", i+1))
	}
	return names
}

// live ends lives and begins new ones, until the faults end.
func (p *process) live() {
	r := p.random
	for range r.IntN(5) {
		l := p.life
		if p.rendezvous && r.IntN(2) == 0 {
			time.Sleep(rand0(r, p.span/8))
			p.Event("other endpoints", p.name)
			_ = l.exporter.pool.update(l.endpoints(1 + r.IntN(len(l.links))))
		}
		select {
		case <-l.ended:
		case <-time.After(rand0(r, p.span/2)):
		}
		if p.stop(r.IntN(3) == 0); r.IntN(3) == 0 {
			p.lose()
		}
		p.disk.Capacity, p.bad = math.MaxInt64, false
		switch r.IntN(6) {
		case 0:
			p.disk.Capacity = p.disk.Used() + int64(r.IntN(3000))
			p.Event("full disk", p.name)
		case 1:
			p.bad = true
			p.Event("failing disk", p.name)
		}
		if r.IntN(4) == 0 {
			p.change()
			p.Event("other settings", p.name)
		}
		time.Sleep(rand0(r, p.span/8))
		p.start()
	}
	select {
	case <-p.life.ended:
	case <-time.After(p.span):
	}
	p.disk.Capacity, p.bad, p.last = math.MaxInt64, false, true
	p.life.mu.Lock()
	p.life.deathAt = 0
	p.life.mu.Unlock()
	if p.life.files.Dead() {
		p.stop(false)
		p.start()
	}
}

// stop ends the life of a process, gracefully or not.
func (p *process) stop(gracefully bool) {
	p.mu.Lock()
	l := p.life
	p.life = nil
	p.mu.Unlock()
	if gracefully && !l.files.Dead() {
		p.Event("shutdown", p.name)
		_ = l.logs.Shutdown(context.Background())
		l.die()
		if p.weak || p.bad { // the disk may still say that an attempt is under way
			l.blame()
		}
		return
	}
	attempts := true // the head may be marked, and nothing is sent yet
	if !l.files.Dead() {
		p.Event("kill", p.name)
		attempts = len(l.flying) > 0
	}
	if l.die(); attempts {
		l.blame()
	}
	// Nobody sees what it does from now on. It only has to end.
	p.calls.Go(func() { _ = l.logs.Shutdown(context.Background()) })
}

// die cuts a life off from its disk and its network. What was in flight may come again.
func (l *life) die() {
	l.files.Kill()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsure()
	l.end()
}

// blame notes what spillover may set aside because the process died of it three times. Without dead letters it is gone.
// A record is set aside as a whole, and parts of it are sent: so this may be whatever has not arrived.
func (p *process) blame() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.seen {
		if p.ledger.Arrived(id) {
			continue
		}
		if p.deaths[id]++; p.deaths[id] == 3 && p.cfg.DeadLetterSize == 0 {
			p.ledger.Dropped([]int{id})
		}
	}
}

// unsure notes what may come again after this life. The lock is held.
func (l *life) unsure() {
	for _, ids := range []map[int]bool{l.flying, l.leaving} {
		for id := range ids {
			l.ledger.Unsure([]int{id})
		}
	}
}

// end tells that the life has ended. The lock is held.
func (l *life) end() {
	select {
	case <-l.ended:
	default:
		close(l.ended)
	}
}

// lose lets the machine lose its power.
func (p *process) lose() {
	p.Event("power failure", p.name)
	p.disk.PowerFailure(p.random)
	if !p.weak {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.seen {
		p.ledger.Forgotten([]int{id})
	}
	p.weak = !p.cfg.Fsync
}

// decide decides about a system call.
func (l *life) decide(c explore.Call) explore.Fate {
	r := l.random
	if l.yields > 0 && r.IntN(l.yields) == 0 {
		l.Event("slow call", l.name)
		for range 1 + r.IntN(3) {
			runtime.Gosched()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.call++
	switch {
	case l.call == l.deathAt:
		l.Event("death at a "+c.Name, l.name)
		l.unsure()
		l.end()
		return explore.Fate{Dies: true, Bytes: r.IntN(c.Bytes + 1)}
	case l.bad && c.Name == "read" && (l.unread == 3 || r.IntN(10) > 0):
		l.unread = 0
	case l.bad && l.logsStarted() && r.IntN(10) == 0:
		if c.Name == "read" {
			l.unread++ // less often than after what a record is left out
		}
		l.Event("failed "+c.Name, l.name)
		l.complex = true
		return explore.Fate{Err: syscall.EIO, Bytes: r.IntN(c.Bytes + 1)}
	case l.bad && c.Name == "sync" && r.IntN(3) == 0:
		l.Event("lost sync", l.name)
		l.weak = true
		return explore.Fate{Lost: true}
	case c.Name == "write" && strings.HasSuffix(c.Path, ".segment") && !l.complex && l.onDisk()+c.Bytes > l.cfg.QueueSize:
		l.Violation("the queue of %s takes %d bytes on disk, the limit is %d", l.name, l.onDisk()+c.Bytes, l.cfg.QueueSize)
	case filepath.Base(c.Path) == "head" && c.Name == "write" && l.removing > 0:
		if l.removing--; l.removing == 0 {
			l.leaving, l.flying = l.flying, map[int]bool{}
		}
	case filepath.Base(c.Path) == "head" && c.Name == "sync":
		l.leaving = nil
	}
	return explore.Fate{}
}

// onDisk returns the bytes of the queue.
func (p *process) onDisk() (bytes int) {
	for _, path := range p.disk.Paths(".segment") {
		bytes += len(p.disk.File(path).Data)
	}
	return bytes
}

// logsStarted reports whether the start has ended: a disk that fails then may stop it.
func (l *life) logsStarted() bool {
	l.process.mu.Lock()
	defer l.process.mu.Unlock()
	return l.life == l
}

// next is what spillover sends to.
func (l *life) next(ctx context.Context, batch plog.Logs, send func(context.Context, plog.Logs) error) error {
	if l.files.Dead() {
		return errors.New("the process is dead")
	}
	ids := idsOf(batch)
	_, direct := ctx.Deadline()
	if !direct {
		l.mu.Lock()
		for _, id := range ids {
			l.flying[id] = true
		}
		l.removing, l.leaving = 0, nil
		l.mu.Unlock()
	}
	err := send(ctx, batch)
	if l.files.Dead() {
		return err
	}
	l.Trace(fmt.Sprintf("%s sends %v, direct %t: %v", l.name, ids, direct, err))
	l.mu.Lock()
	defer l.mu.Unlock()
	verdict := judge.Judge(err)
	if err != nil && verdict != judge.ForNow {
		if left, ok := judge.Unsent[consumererror.Logs, plog.Logs](err); ok {
			ids = idsOf(left)
		}
		l.complex = true
		l.ledger.Refused(ids)
		if l.cfg.DeadLetterSize == 0 {
			l.ledger.Dropped(ids)
		}
	}
	if err == nil && !direct && !l.complex {
		l.removing = 2 // the end of the attempt, and the removal
	}
	return err
}

// take is a receiver before spillover.
func (p *process) take(ctx context.Context, ids []int, batch plog.Logs) (err error, answered bool) {
	p.mu.Lock()
	l := p.life
	for _, id := range ids {
		p.seen[id] = true
	}
	p.mu.Unlock()
	if l == nil || l.files.Dead() {
		return status.Error(codes.Unavailable, "connection refused"), false
	}
	err = l.logs.ConsumeLogs(ctx, batch)
	if l.files.Dead() {
		p.ledger.Unsure(ids)
		return status.Error(codes.Unavailable, "connection reset"), false
	}
	if err != nil {
		p.ledger.Unsure(ids) // a part of them may have got through
	}
	if _, ok := status.FromError(err); ok {
		return err, true
	}
	if consumererror.IsPermanent(err) {
		return status.Error(codes.Internal, err.Error()), true
	}
	return status.Error(codes.Unavailable, err.Error()), true
}

// clearLetters takes the dead letters away.
func (p *process) clearLetters() {
	bytes, letters := 0, 0
	for _, path := range p.disk.Paths("") {
		if strings.Contains(path, "dead_letter") {
			bytes += len(p.disk.File(path).Data)
			letters += p.readLetters(path)
			p.disk.Delete(path)
		}
	}
	if letters > 1 && bytes > p.cfg.DeadLetterSize+letters { // a line may begin a new line
		p.Violation("the dead letters of %s have %d bytes, the limit is %d", p.name, bytes, p.cfg.DeadLetterSize)
	}
}

// readLetters returns how many letters a file has.
func (p *process) readLetters(path string) (letters int) {
	data := p.disk.File(path).Data
	if strings.HasSuffix(path, ".otlp") {
		if len(data) == 0 {
			return 0 // its write failed, and then its removal
		}
		if batch, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(data); err == nil {
			p.ledger.Kept(idsOf(batch))
			for _, id := range idsOf(batch) {
				if p.deaths[id] < 3 && !p.ledger.Arrived(id) {
					p.Violation("item %d is a dead letter, and the process did not die of it", id)
				}
			}
		}
		return 1
	}
	for line := range bytes.Lines(data) {
		batch, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
		if err != nil || !allNumbered(batch) {
			continue // torn
		}
		letters++
		for _, id := range idsOf(batch) {
			p.ledger.Kept([]int{id})
			if p.ledger.Refusals(id) == 0 {
				p.Violation("item %d is a dead letter, and was never refused", id)
			}
		}
	}
	return letters
}

// link is the network between a process and what it sends to.
type link struct {
	*world
	name   string
	from   *process
	to     target
	random *rand.Rand
	fault  string // what it does now, or empty
}

func (w *world) linksTo(from *process, to target) []*link {
	l := &link{world: w, from: from, to: to, name: fmt.Sprint("link", len(w.links))}
	l.random = w.Rand(l.name)
	w.links = append(w.links, l)
	return []*link{l}
}

// change changes what a link does from time to time.
func (l *link) change() {
	faults := []string{"", "", "", "refused connection", "lost request", "lost answer", "doubled request", "late request", "mixed"}
	if !l.from.rendezvous {
		faults = append(faults, "deaf call") // as Kafka's exporter is
	}
	for range l.random.IntN(5) {
		time.Sleep(rand0(l.random, l.span/3))
		l.fault = faults[l.random.IntN(len(faults))]
	}
	time.Sleep(rand0(l.random, l.span/3))
	l.fault = ""
}

// pass carries a request to the other end. sent is false if that is known not to have got it.
func (l *link) pass(ctx context.Context, ids []int, batch plog.Logs) (sent, answered bool, err error) {
	r := l.random
	fault := l.fault
	if fault == "mixed" {
		fault = []string{"", "refused connection", "lost request", "lost answer", "doubled request", "late request"}[r.IntN(6)]
	}
	if fault != "" {
		l.Event(fault, fmt.Sprint(l.name, " ", ids))
	}
	there, back := rand0(r, 100*time.Millisecond), rand0(r, 100*time.Millisecond)
	type answer struct {
		err      error
		answered bool
	}
	answers := make(chan answer, 1)
	switch fault {
	case "refused connection":
		time.Sleep(there)
		return false, false, status.Error(codes.Unavailable, "connection refused")
	case "lost request":
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		return true, false, status.Error(codes.DeadlineExceeded, "no answer")
	case "late request", "deaf call":
		l.ledger.Unsure(ids)
		there = rand0(r, 20*time.Second)
	}
	deliver := func() {
		time.Sleep(there)
		err, answered := l.to.take(ctx, ids, batch)
		time.Sleep(back)
		answers <- answer{err, answered}
	}
	batch = copyOf(batch)
	if fault == "deaf call" {
		deliver()
		a := <-answers
		return true, a.answered, a.err
	}
	if fault == "doubled request" {
		l.ledger.Unsure(ids)
		second, batch := rand0(r, time.Second), copyOf(batch)
		l.calls.Go(func() {
			time.Sleep(second)
			_, _ = l.to.take(ctx, ids, batch)
		})
	}
	l.calls.Go(deliver)
	select {
	case a := <-answers:
		if fault != "lost answer" {
			return true, a.answered, a.err
		}
		l.ledger.Unsure(ids)
		return true, false, status.Error(codes.Unavailable, "connection reset")
	case <-ctx.Done():
		l.ledger.Unsure(ids)
		return true, false, status.FromContextError(ctx.Err()).Err()
	}
}

// export is the otlp_grpc exporter: it gives up what OTLP says is not to be retried.
func (l *life) export(ctx context.Context, batch plog.Logs) error {
	_, _, err := l.links[0].pass(ctx, idsOf(batch), batch)
	switch status.Code(err) {
	case codes.OK:
		return nil
	case codes.Canceled, codes.DeadlineExceeded, codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss:
		return err
	}
	return consumererror.NewPermanent(err)
}

// conn is a connection of rendezvous to one endpoint.
type conn struct {
	*life
	link   *link
	closed atomic.Bool
}

func (c *conn) send(ctx context.Context, batch plog.Logs) health.Reply {
	if c.closed.Load() {
		c.Violation("a connection is closed before what is sent over it")
	}
	sent, answered, err := c.link.pass(ctx, idsOf(batch), batch)
	if err != nil {
		reply := health.Judge(err, sent, answered)
		reply.Cancelled = errors.Is(ctx.Err(), context.Canceled)
		return reply
	}
	return health.Reply{Verdict: health.Accepted, Answered: true}
}

func (c *conn) close() error {
	c.closed.Store(true)
	return nil
}

func (*conn) connecting() bool { return false }

// hop is a backend.
type hop struct {
	*world
	name   string
	random *rand.Rand
	answer string // what it answers now, or empty
	poison int    // it refuses one item of so many for good, or none
	most   int    // items that a request may have while it answers "too large"
}

func (w *world) newHop(name string) *hop {
	h := &hop{world: w, name: name, random: w.Rand(name)}
	h.poison = []int{0, 0, 7, 20}[h.random.IntN(4)]
	h.most = w.Rand(name + " limit").IntN(5)
	w.hops = append(w.hops, h)
	return h
}

// refusals are the answers of a backend, by delivery.Judge's classes.
var refusals = map[string]codes.Code{
	"not now": codes.Unavailable, "unauthenticated": codes.Unauthenticated, "no route": codes.Unimplemented, "internal error": codes.Internal,
	"out of range": codes.OutOfRange, "invalid": codes.InvalidArgument, "wrong answer": codes.Unavailable, "too large": codes.ResourceExhausted,
}

func (h *hop) change() {
	answers := []string{"", "", "", "not now", "unauthenticated", "no route", "internal error", "out of range", "invalid", "wrong answer", "too large"}
	for range h.random.IntN(5) {
		time.Sleep(rand0(h.random, h.span/3))
		h.answer = answers[h.random.IntN(len(answers))]
	}
	time.Sleep(rand0(h.random, h.span/3))
	h.answer = ""
}

func (h *hop) take(_ context.Context, ids []int, _ plog.Logs) (err error, answered bool) {
	if code := refusals[h.answer]; code != codes.OK && (h.answer != "too large" || len(ids) > h.most) {
		h.Event(h.answer, fmt.Sprint(h.name, " ", ids))
		if h.answer == "wrong answer" {
			h.ledger.Unsure(ids)
			h.ledger.Delivered(ids)
		}
		text := h.answer
		if text == "too large" {
			text = "message larger than max"
		}
		return status.Error(code, text), true
	}
	for _, id := range ids {
		if h.poison > 0 && id%h.poison == 3 {
			h.Event("poison", fmt.Sprint(h.name, " ", ids))
			return status.Error(codes.InvalidArgument, "a bad item"), true
		}
	}
	h.ledger.Delivered(ids)
	return nil, true
}
