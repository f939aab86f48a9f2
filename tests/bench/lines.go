// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"
)

// lines are of three formats, each with the ids that idsOf gives.
var lines = map[string]func(n int) string{"cpp": cppLine, "python": pythonLine, "instrumented": instrumentedLine}

// cppLine is one of TensorCast's C++ processes.
func cppLine(n int) string {
	source, message := said(cppMessages, n)
	return fmt.Sprintf("%s %c tid=%d %s trace_id=%s span_id=%s %s",
		writtenAt(n).Format("2006-01-02T15:04:05.000000000-07:00"), cppSeverity(n), cppThread(n), source, traceText(n), spanText(n), message)
}

func cppSeverity(n int) byte { return "IIIIIIWE"[n%8] }
func cppThread(n int) int    { return 4100 + n%8 }

// pythonLine is one of TensorCast's Global Store, without year and zone.
func pythonLine(n int) string {
	source, message := said(pythonMessages, n)
	return fmt.Sprintf("INFO %s [grpc-worker-%d] trace_id=%s span_id=%s %s: %s",
		writtenAt(n).Format("01-02 15:04:05"), n%8, traceText(n), spanText(n), source, message)
}

// instrumentedLine is in the format that OpenTelemetry's logging instrumentation
// for Python sets by default.
func instrumentedLine(n int) string {
	return fmt.Sprintf("%s INFO [tuft.futures] [futures.py:88] [trace_id=%s span_id=%s resource.service.name=tuft trace_sampled=True] - Future %d enqueued",
		writtenAt(n).Format("2006-01-02 15:04:05,000"), traceText(n), spanText(n), n)
}

// writtenAt is when the nth line was written.
func writtenAt(n int) time.Time {
	return ended.AsTime().Add(time.Duration(n) * 1_370_137 * time.Nanosecond)
}

// said is a message and the place it comes from.
func said(messages [][2]string, n int) (source, message string) {
	m := messages[n%len(messages)]
	return m[0], fmt.Sprintf(m[1], n)
}

// Each with the number of what it is about.
var cppMessages = [][2]string{
	{"store_daemon_service.cc:412", "MaterializeReplicaV2 artifact=llama-70b/%08d device=0"},
	{"p2p_ingest.cc:188", "p2p ingest %d from 10.0.0.12:50052 started, 8 chunks"},
	{"chunk_receiver.cc:97", "chunk %d received"},
	{"p2p_ingest.cc:302", "p2p ingest %d complete: 8388608 bytes"},
	{"transport_controller.cc:156", "EndReplicaFetch transport=tr-%08d status=OK"},
}

var pythonMessages = [][2]string{
	{"transport_rpc_handler.py:141", "transport tr-%08d granted from node-b"},
	{"replica_repository.py:88", "slow query: %d us"},
	{"maintenance_coordinator.py:77", "retention: %d rows deleted"},
	{"grpc_service.py:512", "health check %d ok"},
}
