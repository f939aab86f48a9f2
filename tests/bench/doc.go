// SPDX-License-Identifier: Apache-2.0

// Command bench measures what our parts cost end to end: the CPU time an item takes in the
// collector's process. It runs ours as it is released, ours without its profile, and a stock
// collector (peers/), from the OTLP receiver or from files to the nop exporter, with our
// processors in between and with stock ones that do the same as far as they can. Limits are in
// suite_*.go.
//
//	go run ./tests/bench                       what has limits, with short slices: a few minutes
//	go run ./tests/bench --suite files         only that: shipped, equal, files, unowned
//	go run ./tests/bench --suite profiles      the agent and the gateway as shipped, for docs/sizing.md:
//	                                           a quarter of an hour; latency likewise
//	go run ./tests/bench --signals logs        only those: metrics, traces, logs
//	go run ./tests/bench --against PATH        the profiles of ./otelcol-tc and of another build of ours in turn
//	go run ./tests/bench --full                longer slices, and what the binaries cost without processors
//	go run ./tests/bench --strict              fails when a pipeline costs more than it may
//	go run ./tests/bench --report FILE         everything, in full, as a page: an hour
//	go run ./tests/bench --profile-to FILE     no comparison, but a CPU profile of all our pipelines, of a
//	                                           --binary built with the tag cpuprofile: four minutes
//
// All targets of a comparison run at the same time and take turns in short slices, so that a
// machine that changes its pace does so for all of them. CPU time comes from the operating
// system's accounting of the target process alone (cpu.go), and slices that other processes
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
//
// One trap to know: a larger live heap makes Go collect less often, so a stage that keeps state
// can look cheaper than none at GOGC=100. That is why there are comparisons that give all
// targets the same room, by GOGC=off and GOMEMLIMIT (garbage.go).
package main
