// SPDX-License-Identifier: Apache-2.0

// Package collectortest runs the built otelcol-tc binary as a subprocess, for black-box tests: they send
// data over the network, and read it from the collector's files and pages.
//
//	c := collectortest.Start(t, collectortest.Options{})
//	send(c.GRPC, spans)
//	collectortest.Eventually(t, time.Minute, func() (bool, string) {
//		got := c.Traces(t).SpanCount()
//		return got == 3, fmt.Sprintf("%d of 3 spans written", got)
//	})
//
// Each collector has its own ports and data directory, so tests may run in parallel. It ends with its
// test.
package collectortest
