// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
)

// tuft is one TuFT server with its Ray actors. A scenario fine-tunes a model and
// samples from it by a dozen HTTP requests, each a trace of its own.
type tuft struct {
	random    *rand.Rand
	scenarios int
	meter     *meter
	resources *meter
	http      *meter
}

func newTuFT(rng *rand.Rand, start time.Time) Generator {
	return &tuft{
		random:    rng,
		meter:     newTuFTMeter(start),
		resources: newTuFTResourceMeter(start),
		http:      newTuFTHTTPMeter(start),
	}
}

func (g *tuft) Name() string { return "tuft" }

// tuftRun is one scenario. A training run's id, its model's and its adapter's are
// one UUID; so are a sampling session's and its adapter's.
type tuftRun struct {
	*recorder
	*tuft
	server *process
	spans  tracer

	session, model, samplingSession, user string
	rank                                  int
}

const baseModel = "Qwen/Qwen3-8B"

func (g *tuft) Next(now time.Time) Batch {
	r := newRecorder(g.random, now)
	run := &tuftRun{
		recorder:        r,
		tuft:            g,
		server:          r.process("service.name", "tuft", "telemetry.sdk.language", "python", "deployment.environment", "staging", "team", "research"),
		session:         randomUUID(g.random),
		model:           randomUUID(g.random),
		samplingSession: randomUUID(g.random),
		user:            randomUUID(g.random),
		rank:            8 << g.random.IntN(3),
	}
	run.spans = run.server.tracer("tuft")
	created := run.train()
	run.sample(created)
	run.proxy()
	run.metrics()
	g.scenarios++
	return r.finish()
}

// request adds the spans FastAPI makes of a POST.
func (run *tuftRun) request(route string, from, to int) span {
	http := run.server.tracer("opentelemetry.instrumentation.fastapi")
	name := "POST /api/v1/" + route
	s := http.span(name, server, root, from, to,
		"http.method", "POST", "http.scheme", "http", "http.route", "/api/v1/"+route, "http.target", "/api/v1/"+route,
		"http.status_code", 200, "http.url", "http://10.0.0.21:8080/api/v1/"+route, "net.peer.ip", "10.0.0.30", "net.peer.port", 32768+run.rng.IntN(28000))
	http.span(name+" http receive", internal, s.ref(), from+1, from+2, "asgi.event.type", "http.request")
	http.span(name+" http send", internal, s.ref(), to-2, to-1, "asgi.event.type", "http.response.start", "http.status_code", 200)
	return s
}

// enqueue adds the execution of a future. It starts when the request that asked
// for it has answered, so its parent has ended before it. In every third scenario the
// worker has lost the context, and all that names the future in the request's trace is
// a log line. The client fetches the result
// with a request that names the future nowhere.
func (run *tuftRun) enqueue(asked span, endpoint, operation string, from, to int) span {
	future := randomUUID(run.rng)
	parent := asked.ref()
	if run.scenarios%3 == 2 {
		parent = root
	}
	execute := run.spans.span("future_store.execute_operation", internal, parent, from, to,
		"tuft.request_id", future, "tuft.operation_type", operation, "tuft.model_id", run.model)
	run.log(from-5, asked.ref(), "Future enqueued: "+future)
	run.log(from+1, execute.ref(), "Future begin: "+future)
	run.log(to-1, execute.ref(), "Future completed: "+future)

	if parent == root {
		run.pair(RuleRequestID, asked.ref(), execute.ref())
	}
	retrieve := run.request("retrieve_future", to+2, to+12)
	run.pair(RuleRetrieve, execute.ref(), retrieve.ref())
	run.redis("SET", root, from-4)
	run.countFuture(operation, float64(to-from)/1000, endpoint)
	return execute
}

// train creates a model, trains one step and saves; training_run_id is all that
// holds the traces together. It returns the span that created the model.
func (run *tuftRun) train() span {
	created := run.spans.span("training_controller.create_model", internal, run.request("create_model", 10, 90).ref(), 15, 85,
		"tuft.session_id", run.session, "tuft.training_run_id", run.model, "tuft.base_model", baseModel, "tuft.lora_rank", run.rank)
	run.spans.span("training_backend.create_adapter", internal, created.ref(), 30, 80, "tuft.lora_id", run.model)
	run.log(86, created.ref(), "created training run "+run.model)

	chain := []SpanRef{created.ref()}
	if run.scenarios%2 == 0 {
		chain = append(chain, run.step("forward", "training_controller.run_forward", 110, 200, "tuft.backward", false))
	}
	chain = append(chain,
		run.step("forward_backward", "training_controller.run_forward_backward", 240, 500, "tuft.backward", true),
		run.step("optim_step", "training_controller.run_optim_step", 540, 620, "tuft.learning_rate", between(run.rng, 1e-6, 1e-4)),
		run.step("save_state", "training_controller.save_checkpoint", 660, 760))
	run.pair(RuleTrainingRun, chain...)
	return created
}

// step is one training call: request, future, controller, backend.
func (run *tuftRun) step(endpoint, controller string, from, to int, kv ...any) SpanRef {
	asked := run.request(endpoint, from, from+10)
	execute := run.enqueue(asked, endpoint, endpoint, from+20, to)
	s := run.spans.span(controller, internal, execute.ref(), from+22, to-2, "tuft.training_run_id", run.model)
	put(s.Attributes(), kv...)
	b := run.spans.span("training_backend."+endpoint, internal, s.ref(), from+24, to-4, "tuft.lora_id", run.model)
	run.redis("GET", s.ref(), from+23)
	if run.scenarios%4 == 0 && endpoint != "forward" {
		// The actor process has a tracer provider of its own only sometimes.
		run.server.tracer("tuft.hf_model").span("hf_model."+endpoint, internal, b.ref(), from+26, to-6)
	}
	return s.ref()
}

// sample opens a sampling session in the training session and samples from it.
func (run *tuftRun) sample(created span) {
	opened := run.spans.span("sampling_controller.create_sampling_session", internal, run.request("create_sampling_session", 800, 840).ref(), 805, 835,
		"tuft.session_id", run.session, "tuft.sampling_session_id", run.samplingSession, "tuft.base_model", baseModel)
	run.pair(RuleSession, created.ref(), opened.ref())
	run.spans.span("sampling_backend.add_adapter", internal, opened.ref(), 810, 830, "tuft.lora_id", run.samplingSession)
	run.log(836, opened.ref(), "sampling session "+run.samplingSession+" ready")

	for i := range 1 + run.scenarios%2 {
		from := 860 + 300*i
		asked := run.request("asample", from, from+10)
		execute := run.enqueue(asked, "asample", "sample", from+20, from+250)
		s := run.spans.span("sampling_controller.run_sample", internal, execute.ref(), from+22, from+248,
			"tuft.sampling_session_id", run.samplingSession)
		run.spans.span("sampling_backend.sample", internal, s.ref(), from+24, from+246, "tuft.lora_id", run.samplingSession)
		run.pair(RuleSamplingSession, opened.ref(), s.ref())
		run.countSample(0.22)
	}
}

// proxy is an OpenAI-compatible call, and work that belongs to no request.
func (run *tuftRun) proxy() {
	asked := run.request("oai/chat/completions", 1500, 1700)
	run.spans.span("oai.proxy_inference", internal, asked.ref(), 1510, 1690,
		"oai.user_id", run.user, "oai.model", baseModel, "oai.lora_id", run.samplingSession)
	run.log(1512, asked.ref(), "proxying to "+baseModel)
	run.redis("DEL", asked.ref(), 1691)
	run.redis("SCAN", root, 1800)
	run.log(1801, root, "checkpoint sweep: nothing to do")
}

// redis adds a Redis call. Background tasks make root spans, which carry no key
// and belong to nothing that could be found.
func (run *tuftRun) redis(operation string, parent SpanRef, ms int) {
	run.server.tracer("tuft.redis").span("redis."+operation, client, parent, ms, ms+1, "db.system", "redis", "db.operation", operation)
	run.countRedis(operation)
}

// log adds a record twice, as the two handlers that end up installed do, with the
// logging instrumentation's attributes beside the ids of the record. Only the second adds
// the place in the code.
func (run *tuftRun) log(ms int, in SpanRef, body string) {
	traceID, spanID := "0", "0"
	if in != root {
		traceID, spanID = in.TraceID.String(), in.SpanID.String()
	}
	attributes := []any{"otelTraceID", traceID, "otelSpanID", spanID, "otelTraceSampled", in != root, "otelServiceName", "tuft"}
	place := []any{"code.file.path", "/opt/tuft/src/tuft/futures.py", "code.line.number", 100 + ms%400, "code.function.name", fmt.Sprintf("step_%d", ms%7)}
	logger := run.server.logger("tuft.server")
	logger.log(ms, plog.SeverityNumberInfo, in, body, attributes...)
	logger.log(ms, plog.SeverityNumberInfo, in, body, slices.Concat(attributes, place)...)
}
