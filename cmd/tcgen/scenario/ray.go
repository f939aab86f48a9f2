// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
)

// ray is Ray: Core, Serve, Train, Data and LLM, on one node with tasks, actors and a Serve application.
var ray = keptSystem{name: "ray", families: rayFamilies(), next: nextRay}

// The tracers of Ray and of Serve.
const (
	rayScope      = "ray.util.tracing.tracing_helper"
	rayServeScope = "ray.serve._private.tracing_utils"
)

// nextRay calls a task, and sends a request to Serve.
func nextRay(run *keptRun) {
	run.exposeRay()
	worker := newRayWorker(0, run.scenarios)
	run.rayTask(worker)
	run.rayRequest()
	run.rayLogs(worker)
}

// rayTask is a call of the driver. The worker's span is its child, because Ray hands over the context.
func (run *keptRun) rayTask(worker rayWorker) {
	attributes := []any{
		"ray.remote", "function", "ray.function", "__main__.preprocess", "ray.pid", worker["pid"], "ray.job_id", worker["JobId"],
		"ray.node_id", worker["node_id"], "ray.worker_id", worker["WorkerId"],
	}
	driver := run.process("service.name", "orders").tracer(rayScope)
	call := driver.span("__main__.preprocess ray.remote", producer, root, 0, 2, attributes...)
	task := run.rayTaskID()
	execution := run.process("service.name", "orders").tracer(rayScope).
		span("__main__.preprocess ray.remote_worker", consumer, call.ref(), 10, 300, append(attributes, "ray.task_id", task)...)
	// Written by ray.LoggingConfig, which adds the ids of the task.
	run.write("worker-"+worker["WorkerId"]+".err", 100, execution.ref(), StatesNothing, fmt.Sprintf(
		"%s\tWARNING app.py:27 -- batch is small job_id=%s worker_id=%s node_id=%s task_id=%s task_name=preprocess task_func_name=__main__.preprocess timestamp_ns=%d",
		run.rayTime(100), worker["JobId"], worker["WorkerId"], worker["node_id"], task, run.at(100).UnixNano()))
}

func (run *keptRun) rayTaskID() string {
	return randomHex(run.rng, 16) + strings.Repeat("f", 24) + "01000000"
}

// rayRequest is a request to Serve: the proxy's span has the path in its name.
func (run *keptRun) rayRequest() {
	id, path := randomUUID(run.rng), fmt.Sprintf("/orders/%d", 4711+run.scenarios)
	proxy := run.process("service.name", "orders").tracer(rayServeScope)
	request := proxy.span("proxy_http_request Orders GET "+path, server, root, 400, 480, "request_id", id, "deployment", "Orders", "app", "shop",
		"request_type", "http", "request_method", "GET", "request_route_path", path, "http.method", "GET", "http.status_code", 200, "http.route", path)
	route := proxy.span("route_to_replica Orders __call__", server, request.ref(), 405, 470, "request_id", id, "deployment", "Orders", "app", "shop", "call_method", "__call__")
	handled := run.process("service.name", "orders").tracer(rayServeScope).
		span("replica_handle_request Orders __call__", server, route.ref(), 410, 460, "request_id", id, "replica_id", "idroemar", "deployment", "Orders", "app", "shop", "call_method", "__call__")
	serve := func(file string, ms int, in SpanRef, component, message string) {
		run.write(file, ms, in, StatesNothing, fmt.Sprintf("INFO %s %s %s -- %s", run.rayTime(ms), component, id, message))
	}
	serve("replica_shop_Orders_idroemar.log", 440, handled.ref(), "shop_Orders idroemar", "order taken\nfor "+path)
	serve("replica_shop_Orders_idroemar.log", 458, handled.ref(), "shop_Orders idroemar", fmt.Sprintf("GET %s 200 %.1fms", path, between(run.rng, 1, 90)))
	serve("proxy_10.0.0.11.log", 479, request.ref(), "proxy 10.0.0.11", fmt.Sprintf("GET %s 200 %.1fms", path, between(run.rng, 1, 90)))
}

// rayLogs are lines of Ray's own processes, which have no trace.
func (run *keptRun) rayLogs(worker rayWorker) {
	write := func(file string, ms int, text string) { run.write(file, ms, root, StatesNothing, text) }
	write("log_monitor.log", 500, run.rayTime(500)+"\tINFO log_monitor.py:304 -- Beginning to track file worker-"+worker["WorkerId"]+".err")
	write("raylet.out", 510, fmt.Sprintf("[%s I 6686 6744] (raylet) node_manager.cc:673: New job has started. Job id %s Driver pid 17071 is dead: 0 driver address: 10.0.0.11", run.rayTime(510), worker["JobId"]))
	write("python-core-worker-"+worker["WorkerId"]+".log", 520, fmt.Sprintf("[%s W %s 6886] core_worker.cc:591: Event stats:\n\nGlobal stats: 31 total (12 active)\nQueueing time: mean = 15.8 us", run.rayTime(520), worker["pid"]))
	write("controller_17998.log", 530, fmt.Sprintf("INFO %s controller 17998 -- Deploying new version of Deployment(name='Orders', app='shop') (initial target replicas: 1).", run.rayTime(530)))
	// The driver's output has the lines of workers too.
	write("driver.log", 540, fmt.Sprintf("(preprocess pid=%s, ip=10.0.0.12) %s\tWARNING app.py:27 -- batch is small [repeated 3x across cluster]", worker["pid"], run.rayTime(540)))
	write("driver.log", 550, fmt.Sprintf("(ServeReplica:llm:LLMServer pid=%s, ip=10.0.0.12) INFO %s [request_logger.py:122] Generated response %s: output: %s, finish_reason: stop",
		worker["pid"], run.at(550).UTC().Format("01-02 15:04:05"), randomUUID(run.rng), contentInPython))
	if run.scenarios%3 == 2 {
		write("raylet.err", 900, fmt.Sprintf("[%s E 6686 6744] (raylet) agent_manager.cc:87: The raylet exited immediately because one Ray agent failed, agent_name = dashboard_agent.\nThe raylet fate shares with the agent.", run.rayTime(900)))
	}
}

// rayTime is Python's, with a comma before the milliseconds.
func (run *keptRun) rayTime(ms int) string {
	return strings.Replace(run.at(ms).Format("2006-01-02 15:04:05.000"), ".", ",", 1)
}
