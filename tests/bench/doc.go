// Command bench measures what our parts cost end to end: the CPU time an item takes
// in the collector's process. It runs otlp → nop, with our processors in between,
// and with stock ones that do the same as far as they can; and the receivers that
// read files, ours and the stock one (pipeline.go).
//
//	go run ./tests/bench                     about twenty minutes
//	go run ./tests/bench --signals logs      only those: metrics, traces, links, logs,
//	                                         conformance, files
//	go run ./tests/bench --signals profiles  the agent and the gateway as shipped, for
//	                                         docs/sizing.md: about fifteen minutes
//	go run ./tests/bench --full              more rounds, and Go's default GC as well
//	go run ./tests/bench --strict            fails when a pipeline costs more than it may
//
// All targets of a comparison run at the same time and take turns in short
// slices, so that a machine that changes its pace does so for all of them. CPU
// time comes from the operating system's accounting of the target process alone,
// and slices that other processes disturb are repeated.
//
// Over OTLP a slice is a time, in which requests are sent as fast as they are
// answered (sender.go). They are encoded once; only times change from one to the
// next and, where spans are to be linked, trace ids and keys (request.go).
//
// Where a target puts work off, as conformance does with traces, a slice lasts until
// that is done as well.
//
// Of files a slice is one file, from when it appears until the target's own metrics
// say that all its lines have been accepted (writer.go). That takes polls and pauses
// in which the target does next to nothing: they cost no CPU time, but the lines a
// second are fewer than a target could read.
//
// One trap to know: a larger live heap makes Go collect less often, so a stage
// that keeps state can look cheaper than none at GOGC=100. That is why the first
// comparison gives all targets the same room, by GOGC=off and GOMEMLIMIT.
package main
