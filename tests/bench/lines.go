// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"
)

// cppLine is one of TensorCast's C++ processes, with the ids that idsOf gives.
func cppLine(n int) string {
	source, message := said(cppMessages, n)
	return fmt.Sprintf("%s %c tid=%d %s trace_id=%s span_id=%s %s",
		writtenAt(n).Format("2006-01-02T15:04:05.000000000-07:00"), cppSeverity(n), cppThread(n), source, traceText(n), spanText(n), message)
}

func cppSeverity(n int) byte { return "IIIIIIWE"[n%8] }
func cppThread(n int) int    { return 4100 + n%8 }

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
