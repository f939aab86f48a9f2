// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// fastDeploy is a router before four instances: one that does everything, a
// prefill and a decode instance, and one of an older version.
type fastDeploy struct {
	random    *rand.Rand
	scenarios int
	metrics   *exposition
	// previous is the span the engine's thread served last.
	previous SpanRef
}

func newFastDeploy(rng *rand.Rand, start time.Time) Generator {
	return &fastDeploy{random: rng, metrics: newExposition(start, false, fastDeployFamilies, nil)}
}

func (g *fastDeploy) Name() string { return "fastdeploy" }

// Gatherer exposes the registry of the API server.
func (g *fastDeploy) Gatherer() prometheus.Gatherer { return g.metrics.registry }

type fastDeployRun struct {
	*recorder
	*fastDeploy
	mixed, prefill, decode, old instance
}

// instance is one FastDeploy server. Its name is in every thread span's name.
type instance struct {
	host   string
	pid    int // of the API server; engine and worker follow
	tracer tracer
}

// restarts is how many scenarios a decode instance serves before it restarts.
const restarts = 5

func (g *fastDeploy) Next(now time.Time) Batch {
	r := newRecorder(g.random, now)
	r.traceIDBytes = 8 // TraceCustomIdGenerator draws 64 bits
	run := &fastDeployRun{recorder: r, fastDeploy: g}
	run.mixed = run.instance("mixed-0", 3100)
	run.prefill = run.instance("prefill-0", 3100)
	run.decode = run.instance("decode-0", 3100+10*(g.scenarios/restarts))
	run.old = run.instance("old-0", 3100)

	mixed := run.wholeRequest()
	run.splitByRequest()
	run.splitByRoom()
	run.olderRequest()
	run.engineLogs(mixed)
	run.expose()
	g.previous = mixed["DECODE"].ref()
	g.scenarios++
	return r.finish()
}

func (run *fastDeployRun) instance(host string, pid int) instance {
	p := run.process("service.name", "FastDeploy", "host.name", host, "process.pid", pid, "service.instance.id", host)
	return instance{host: host, pid: pid, tracer: p.tracer("fastdeploy server")}
}

// thread adds the span of one thread's work on a request; label, host and thread
// id all end up in its name.
func (run *fastDeployRun) thread(i instance, label string, tpRank int, parent span, from, to int) span {
	pid := 4000 + run.rng.IntN(30000)
	name := label
	if tpRank >= 0 {
		name += fmt.Sprintf(" [TP %d] ", tpRank)
	}
	s := i.tracer.span(fmt.Sprintf("%s(host:%s | pid:%d)", name, i.host, pid), internal, parent.ref(), from, to)
	if tpRank >= 0 {
		put(s.Attributes(), "tp_rank", tpRank, "dp_rank", 0)
	}
	put(s.Attributes(), "host_id", i.host, "pid", pid, "thread_label", label)
	return s
}

func (i instance) slice(name string, thread span, from, to int) span {
	return i.tracer.span(name, internal, thread.ref(), from, to)
}

// stages adds what the API server and the engine do for a request. Links inside
// the request skip a stage, and a stage may overlap the next one.
func (run *fastDeployRun) stages(i instance, request span, from, to int, engineStages ...string) map[string]span {
	api := run.thread(i, "FastDeploy", -1, request, from, to)
	pre := i.slice("PREPROCESSING", api, from+1, from+20)
	engine := run.thread(i, "engine", 0, request, from+22, to-20)
	slices := map[string]span{"PREPROCESSING": pre}
	width := (to - from - 44) / len(engineStages)
	previous := pre
	for n, name := range engineStages {
		begin := from + 23 + n*width
		s := i.slice(name, engine, begin, min(begin+width+8, to-20))
		if n != 1 {
			s.link(previous)
			previous = s
		}
		slices[name] = s
	}
	slices["POSTPROCESSING"] = i.slice("POSTPROCESSING", api, to-18, to-1)
	return slices
}

// wholeRequest is served by one instance.
func (run *fastDeployRun) wholeRequest() map[string]span {
	rid := "chatcmpl-" + randomUUID(run.rng)
	request := run.mixed.tracer.span("POST /v1/chat/completions (Req: "+rid+")", server, root, 10, 600,
		"rid", rid, "stream", "true", "http.method", "POST", "http.route", "/v1/chat/completions", "http.status_code", 200)
	slices := run.stages(run.mixed, request, 15, 590, "SCHEDULE", "PREFILL", "DECODE")
	run.requestLogs(rid, request.ref(), slices)
	return slices
}

// splitByRequest is a request the router fanned out to a prefill and a decode
// instance without headers: two roots whose rids differ in prefix and suffix.
func (run *fastDeployRun) splitByRequest() {
	id := randomUUID(run.rng)
	suffix := "_0"
	if run.scenarios%2 == 1 {
		suffix = "::n::1"
	}
	first := run.prefill.tracer.span("POST /v1/completions (Req: cmpl-"+id+")", server, root, 620, 800,
		"rid", "cmpl-"+id, "bootstrap_room", "0x0")
	run.stages(run.prefill, first, 625, 795, "SCHEDULE", "PREFILL")
	second := run.decode.tracer.span("FastDeploy Req "+id, server, root, 640, 1200,
		"rid", id+suffix, "bootstrap_room", 0)
	run.stages(run.decode, second, 645, 1195, "DECODE")
	run.pair(RuleRequest, first.ref(), second.ref())
	run.halfLogs(run.prefill, "cmpl-"+id, first.ref(), 620, 800)
	run.halfLogs(run.decode, "cmpl-"+id, second.ref(), 640, 1200)
}

// splitByRoom is another, whose halves got rids of their own; they share the
// bootstrap room, written once in hex and once in decimal.
func (run *fastDeployRun) splitByRoom() {
	room := run.rng.Int64N(1 << 62)
	ridA, ridB := randomUUID(run.rng), randomUUID(run.rng)
	first := run.prefill.tracer.span("FastDeploy Req "+ridA, server, root, 820, 980,
		"rid", ridA, "bootstrap_room", "0x"+strconv.FormatInt(room, 16))
	run.stages(run.prefill, first, 825, 975, "SCHEDULE", "PREFILL")
	second := run.decode.tracer.span("FastDeploy Req "+ridB, server, root, 850, 1400,
		"rid", ridB, "bootstrap_room", room)
	run.stages(run.decode, second, 855, 1395, "DECODE")
	run.pair(RuleBootstrapRoom, first.ref(), second.ref())
}

// olderRequest is served by the version with other stages, whose SCHEDULE starts
// on a clock that counts from boot and is read as if from 1970.
func (run *fastDeployRun) olderRequest() {
	rid := randomUUID(run.rng)
	request := run.old.tracer.span("FastDeploy Req "+rid, server, root, 1450, 1900, "rid", rid, "job_id", randomUUID(run.rng))
	run.old.tracer.span("FD_START", internal, request.ref(), 1455, 1460, "job_id", rid)
	run.old.tracer.span("DEQUEUE", consumer, request.ref(), 1470, 1480, "job_id", rid)
	thread := run.thread(run.old, "engine", 1, request, 1475, 1890)
	schedule := run.old.slice("SCHEDULE", thread, 1480, 1500)
	uptime := 86400*time.Second + time.Duration(run.rng.Int64N(int64(time.Hour)))
	schedule.SetStartTimestamp(pcommon.Timestamp(uptime))
}
