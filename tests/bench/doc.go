// SPDX-License-Identifier: Apache-2.0

// Command bench measures what our parts cost end to end: the CPU time an item takes in the
// collector's process. It runs ours as it is released and a stock collector (peers/):
// whole agents and gateways. Limits are in unowned.go and profiles_load.go.
//
//	go run ./tests/bench                       what no pack owns, with short slices: a few minutes
//	go run ./tests/bench --suite profiles      the agent and the gateway as shipped, for docs/sizing.md and
//	                                           docs/performance.md: a quarter of an hour; latency likewise
//	go run ./tests/bench --suite memory        their memory at rest, under little load, at full speed, and after it
//	make stages                                their CPU time, what they allocate, and what lives, by stage: seven minutes
//	go run ./tests/bench --signals logs        only those: metrics, traces, logs
//	go run ./tests/bench --against PATH        the profiles of ./otelcol-tc and of another build of ours in turn
//	go run ./tests/bench --rounds 9            more slices, for what is to be published
//	go run ./tests/bench --profile-to FILE     no comparison, but a CPU profile of all our pipelines, of a
//	                                           --binary built with the tag cpuprofile: four minutes
//
// All targets of a comparison run at the same time and take turns in short slices, so that a
// machine that changes its pace does so for all of them. CPU time comes from the operating
// system's accounting of the target process alone (proc.go), and slices that other processes
// disturb are repeated.
//
// Over OTLP a slice is a time, in which requests are sent as fast as they are answered
// (sender.go). They are encoded once; only times and values change from one to the next and,
// where something is to be new, ids (request.go, placeholders.go, values.go). For latency they go out
// at a fixed rate instead (latency.go).
//
// Where a profile puts work off, as conformance does with traces, a slice lasts until that is
// done as well.
//
// Of files a slice is one file, from when it appears until the target's own metrics
// say that all its lines have been accepted (writer.go). That takes polls and pauses
// in which the target does next to nothing: they cost no CPU time, but the lines a
// second are fewer than a target could read.
package main
