// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
)

// C++ spans are named by whole signatures.
const (
	commandInout4  = "virtual CORBA::Any* Tango::Device_4Impl::command_inout_4(const char*, const CORBA::Any&, Tango::DevSource, const Tango::ClntIdent&)"
	commandInout2  = "virtual CORBA::Any* Tango::Device_2Impl::command_inout_2(const char*, const CORBA::Any&, Tango::DevSource)"
	readAttributes = "virtual Tango::AttributeValueList_5* Tango::Device_5Impl::read_attributes_5(const Tango::DevVarStringArray&, Tango::DevSource, const Tango::ClntIdent&)"
	proxyCommand   = "virtual Tango::DeviceData Tango::Connection::command_inout(const std::string&, const Tango::DeviceData&)"
	pollThread     = "void Tango::PollThread::poll_cmd(Tango::WorkItem&)"
)

const (
	baseDevice = "ska/base/1"
	testDevice = "test/nodb/lineno"
)

// pyTango is a client's script and a server process with two devices that call
// each other. A scenario is one run of the script, which has one thread: its calls
// never overlap, those of two runs may. Every device is instrumented twice, by
// cppTango and by PyTango, so it arrives under two resources.
type pyTango struct {
	random    *rand.Rand
	scenarios int
	serverPID int
	newestPID int // of all processes that were started
}

func newPyTango(rng *rand.Rand, _ time.Time) Generator {
	return &pyTango{random: rng, serverPID: 30000 + rng.IntN(20000), newestPID: lowestPID + rng.IntN(20000)}
}

// Process ids are given out in order, and from the lowest again after the highest: those
// of runs at one time differ. The server was there before.
const (
	lowestPID  = 100_000
	highestPID = 1<<22 - 1
)

// startProcess returns the id of a new process. Others were started since the last.
func (g *pyTango) startProcess() int {
	g.newestPID += 1 + g.random.IntN(40)
	if g.newestPID > highestPID {
		g.newestPID -= highestPID - lowestPID + 1
	}
	return g.newestPID
}

func (g *pyTango) Name() string { return "pytango" }

// device is a device's two SDK instances and the tracers in them.
type device struct {
	name        string
	cpp, python tracer
	log         logger
}

type pyTangoRun struct {
	*recorder
	*pyTango
	clientPID               int
	base, test              device
	pythonClient, cppClient tracer
	// wrong is the client's tracer as asyncio devices use it by mistake.
	wrong tracer
}

func (g *pyTango) Next(now time.Time) Batch {
	r := newRecorder(g.random, now)
	run := &pyTangoRun{recorder: r, pyTango: g, clientPID: g.startProcess()}
	run.base = run.device("SKABaseDevice", baseDevice)
	run.test = run.device("TestDevice", testDevice)
	python := r.process("service.namespace", "tango", "service.name", "pytango.client", "host.name", "control-1")
	run.pythonClient = python.tracer("tango.python.client")
	run.wrong = python.tracer("tango.python.server")
	run.cppClient = r.process("service.namespace", "tango", "service.name", "pytango.client",
		"tango.process.id", run.clientPID, "tango.process.kind", "client", "tango.host", "tango-db:10000").tracer("tango.cpp")

	run.command()
	run.olderClient()
	run.rootless()
	run.dangling()
	g.scenarios++
	return r.finish()
}

func (run *pyTangoRun) device(class, name string) device {
	cpp := run.process("service.namespace", "tango", "service.name", class, "service.instance.id", name,
		"tango.server.name", "MultiDevice/test", "tango.process.id", run.serverPID, "tango.process.kind", "server", "tango.host", "tango-db:10000")
	python := run.process("service.namespace", "tango", "service.name", class, "service.instance.id", name, "host.name", "control-2")
	return device{name: name, cpp: cpp.tracer("tango.cpp"), python: python.tracer("tango.python.server"), log: cpp.logger("tango.cpp")}
}

// The code attributes differ in type between the languages: a line number is a
// number in Python and text in C++, a thread id hexadecimal and decimal.
func (run *pyTangoRun) cppCode(file string, line int) []any {
	return []any{"code.filepath", "/src/cppTango/src/server/" + file, "code.lineno", fmt.Sprint(line), "thread.id", fmt.Sprint(run.rng.Int64N(1 << 47))}
}

func (run *pyTangoRun) pythonCode(file string, line int) []any {
	return []any{"code.filepath", "/app/" + file, "code.lineno", line,
		"thread.id", fmt.Sprintf("0x%x", run.rng.Int64N(1<<47)), "thread.name", fmt.Sprintf("Dummy-%d", 1+run.rng.IntN(9))}
}

func operation(target, argument string) []any {
	return []any{"tango.operation.target", target, "tango.operation.argument", argument}
}

// call adds a call from Python: the caller's span, the kernel's, and the callee's
// in both languages. It returns the callee's Python span.
func (run *pyTangoRun) call(caller tracer, callerName string, parent SpanRef, to device, command, pythonName string, from, until int) span {
	c := caller.span(callerName, client, parent, from, until, run.pythonCode("client.py", 17)...)
	put(c.Attributes(), operation(to.name, command)...)
	kernel := run.cppClient.span(proxyCommand, client, c.ref(), from+2, until-2, run.cppCode("devapi_base.cpp", 1180)...)
	put(kernel.Attributes(), operation(to.name, command)...)
	return run.serve(to, commandInout4, kernel.ref(), command, pythonName, from+4, until-4)
}

// serve adds the callee's spans. Without an incoming context the C++ span is
// INTERNAL.
func (run *pyTangoRun) serve(d device, signature string, parent SpanRef, command, pythonName string, from, until int) span {
	kind := server
	if parent == root {
		kind = internal
	}
	cpp := d.cpp.span(signature, kind, parent, from, until, run.cppCode("device_4.cpp", 612)...)
	put(cpp.Attributes(), operation(d.name, command)...)
	put(cpp.Attributes(), "tango.telemetry.topic", "command")
	python := d.python.span(pythonName, server, cpp.ref(), from+2, until-2, run.pythonCode("devices.py", 42)...)
	put(python.Attributes(), operation(d.name, command)...)
	put(python.Attributes(), "tango.client_ident.location", "10.0.1.17", "tango.client_ident.pid", run.clientPID, "tango.client_ident.lang", "CPP_6")
	run.log(d, from+1, plog.SeverityNumberInfo, cpp.ref(), "command_inout "+command+" arrived")
	return python
}

// command is a call that keeps its context over both devices.
func (run *pyTangoRun) command() {
	on := run.call(run.pythonClient, "__main__", root, run.base, "On", "SKABaseDevice.On", 10, 400)
	lineno := run.call(run.base.python, "SKABaseDevice.On", on.ref(), run.test, "lineno_command",
		"simple_device.<locals>.TestDevice.lineno_command", 50, 350)
	if run.scenarios%4 == 1 {
		lineno.fail("API_CommandFailed")
		run.log(run.test, 300, plog.SeverityNumberError, lineno.ref(), "DevFailed: API_CommandFailed")
	}
	read := run.pythonClient.span("read_loop", client, root, 420, 480, operation(baseDevice, "State")...)
	run.base.cpp.span(readAttributes, server, read.ref(), 425, 475, run.cppCode("device_5.cpp", 101)...)
}

// olderClient calls through an IDL that carries no context: each call leaves two
// traces, which share the client's process id and the device while they overlap.
func (run *pyTangoRun) olderClient() {
	for i := range 2 {
		from := 500 + 200*i
		kernel := run.cppClient.span(proxyCommand, client, root, from, from+150, run.cppCode("devapi_base.cpp", 1180)...)
		put(kernel.Attributes(), operation(baseDevice, "Status")...)
		served := run.serve(run.base, commandInout2, root, "Status", "SKABaseDevice.Status", from+5, from+145)
		run.pair(RuleClientIdent, kernel.ref(), served.ref())
	}
}

// rootless is work nobody called for, and an asyncio device that reports under
// the client's resource.
func (run *pyTangoRun) rootless() {
	poll := run.base.cpp.span(pollThread, internal, root, 950, 980, run.cppCode("pollthread.cpp", 881)...)
	put(poll.Attributes(), "tango.telemetry.topic", "polling", "tango.operation.target", baseDevice)
	run.base.python.span("SKABaseDevice.read_healthState", server, poll.ref(), 955, 975, run.pythonCode("devices.py", 77)...)
	run.log(run.base, 956, plog.SeverityNumberDebug, poll.ref(), "polling attribute healthState")
	run.pythonClient.span("EventMonitor.push_event", client, root, 1000, 1020, run.pythonCode("monitor.py", 12)...)

	called := run.pythonClient.span("async_main", client, root, 1100, 1200, operation("async/dev/1", "Ramp")...)
	run.wrong.span("AsyncDevice.Ramp", server, called.ref(), 1110, 1190, run.pythonCode("async_device.py", 31)...)
}

// dangling is a call by a client without the SDK: its context arrives, its span
// never does. The server also logs outside any span.
func (run *pyTangoRun) dangling() {
	lost := SpanRef{TraceID: run.traceID(), SpanID: run.spanID()}
	off := run.serve(run.base, commandInout4, lost, "Off", "SKABaseDevice.Off", 1300, 1400)
	run.log(run.base, 1350, plog.SeverityNumberWarn, off.ref(), "device is going off")
	for i, text := range []string{"heartbeat", "subscription renewed", "lock expired"} {
		run.log(run.test, 1500+20*i, plog.SeverityNumberInfo, root, text)
	}
}

// log adds a C++ log record; Python sends none.
func (run *pyTangoRun) log(d device, ms int, severity plog.SeverityNumber, in SpanRef, body string) {
	d.log.log(ms, severity, in, body, "code.filepath", "/src/cppTango/src/server/device_4.cpp", "code.lineno", fmt.Sprint(600+ms%50))
}
