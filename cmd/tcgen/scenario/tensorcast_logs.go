// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
)

const (
	daemonLog      = "tensorcast_daemon.log"
	peerLog        = "tensorcast_peer_daemon.log"
	globalStoreLog = "tensorcast_global_store.log"
)

// loadLogs are the text logs of a load, each in the span it was written in.
func (run *tensorCastRun) loadLogs(materialize, ingest, ended, requested SpanRef) {
	run.cpp(206, 'I', "store_daemon_service.cc:412", materialize, "MaterializeReplicaV2 artifact="+run.artifact+" device=0")
	run.cpp(276, 'I', "p2p_ingest.cc:188", ingest, "p2p ingest from 10.0.0.12:50052 started, 8 chunks")
	if run.scenarios%4 == 3 {
		run.cpp(401, 'E', "p2p_ingest.cc:231", ingest, "p2p ingest failed: RESOURCE_EXHAUSTED: no free chunk\n"+
			"  pool=gpu0 capacity=4096 in_use=4096\n  waiters=3")
		run.cpp(421, 'W', "p2p_ingest.cc:240", ingest, "retrying after eviction, attempt 1")
	}
	for i := range 3 {
		// Loader threads lost the context: zero ids, and no span on record.
		run.cpp(480+100*i, 'I', "chunk_receiver.cc:97", root, fmt.Sprintf("chunk %d received", i))
	}
	run.cpp(1291, 'I', "p2p_ingest.cc:302", ingest, "p2p ingest complete: 8388608 bytes")
	run.cpp(1480, 'I', "store_daemon_service.cc:440", materialize, "replica "+run.replica+" ready")
	run.plainCPP(1290, 'I', "transport_controller.cc:156", ended, "EndReplicaFetch transport="+run.transport)
	run.plainCPP(1303, 'I', "transport_controller.cc:171", root, "released replica "+run.replica)

	run.libraryLogs(ingest)
	run.python(235, "INFO", "transport_rpc_handler.py:141", requested, "transport "+run.transport+" granted from node-b")
	run.python(250, "WARNING", "replica_repository.py:88", requested, "slow query: 18.2 ms")
}

// housekeepingLogs include a traceback, which spreads over lines of its own.
func (run *tensorCastRun) housekeepingLogs(health SpanRef) {
	run.cpp(1702, 'W', "heartbeat.cc:64", root, "heartbeat late by 412 ms")
	run.python(1705, "INFO", "grpc_service.py:512", health, "health check ok")
	run.python(1720, "INFO", "maintenance_coordinator.py:77", root, "retention: 3 rows deleted")
	if run.scenarios%3 == 1 {
		run.python(1760, "ERROR", "maintenance_coordinator.py:93", root, "reconcile failed\n"+
			"Traceback (most recent call last):\n"+
			"  File \"maintenance_coordinator.py\", line 91, in reconcile\n"+
			"    self._sync(worker)\n"+
			"TimeoutError: worker "+run.peerWorker+" did not answer")
	}
}

// cpp writes in the format of the C++ daemon, with the active span's ids; these
// are all zero where the thread has none.
func (run *tensorCastRun) cpp(ms int, severity rune, source string, in SpanRef, message string) {
	run.write(daemonLog, ms, in, statesIDs(in), fmt.Sprintf("%s %c tid=%d %s trace_id=%x span_id=%x %s",
		run.at(ms).Format(cppTime), severity, 4100+run.rng.IntN(8), source, in.TraceID[:], in.SpanID[:], message))
}

// plainCPP writes in the C++ format of a build without trace ids.
func (run *tensorCastRun) plainCPP(ms int, severity rune, source string, in SpanRef, message string) {
	run.write(peerLog, ms, in, StatesNothing, fmt.Sprintf("%s %c tid=%d %s %s",
		run.at(ms).Format(cppTime), severity, 5200+run.rng.IntN(8), source, message))
}

// python writes in the Global Store's format: no year, no zone, dashes for ids
// where there is no span.
func (run *tensorCastRun) python(ms int, level, source string, in SpanRef, message string) {
	traceID, spanID := "-", "-"
	if in != root {
		traceID, spanID = in.TraceID.String(), in.SpanID.String()
	}
	run.write(globalStoreLog, ms, in, statesIDs(in), fmt.Sprintf("%s %s [grpc-worker-%d] trace_id=%s span_id=%s %s: %s",
		level, run.at(ms).Format("01-02 15:04:05"), run.rng.IntN(8), traceID, spanID, source, message))
}

const cppTime = "2006-01-02T15:04:05.000000000-07:00"
