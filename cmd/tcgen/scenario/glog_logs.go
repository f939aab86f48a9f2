// SPDX-License-Identifier: Apache-2.0

package scenario

import "fmt"

// libraryLog is the stderr of the daemon in a file.
const libraryLog = "tensorcast_daemon_stderr.log"

// libraryLogs stand for the libraries that are linked into the daemon, which log by
// Abseil or glog in the format that the two share. It has no ids; only a message of
// our own code names its span.
func (run *tensorCastRun) libraryLogs(ingest SpanRef) {
	run.glog(277, 'I', "chunk_pool.cc:88", ingest, StatesNothing, "pool gpu0 grown to 4096 chunks")
	run.glog(385, 'W', "rdma_endpoint.cc:1204", root, StatesNothing, "completion queue is nearly full:\n"+
		"  cqe=4064 of 4096\n"+
		"\n"+
		"  qp=0x51 state=RTS")
	run.glog(900, 'I', "chunk_writer.cc:31", ingest, StatesIDs,
		fmt.Sprintf("wrote 8 chunks trace_id=%s span_id=%s", ingest.TraceID, ingest.SpanID))
	if run.scenarios%5 == 4 {
		run.glog(1295, 'E', "transport.cc:412", ingest, StatesNothing, "peer 10.0.0.12:50052 closed the connection")
	}
}

// glog writes the format of Abseil and glog: no year, no zone, microseconds, and the
// thread id padded as Abseil does.
func (run *tensorCastRun) glog(ms int, severity rune, source string, in SpanRef, states States, message string) {
	run.write(libraryLog, ms, in, states, fmt.Sprintf("%c%s %7d %s] %s",
		severity, run.at(ms).Format("0102 15:04:05.000000"), 4100+ms%8, source, message))
}
