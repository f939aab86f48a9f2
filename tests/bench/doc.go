// Command bench measures what enforcement costs end to end: the CPU time an item
// takes in the collector's process, for otlp → nop, with our processors in between,
// and with stock ones that do the same as far as they can (pipeline.go).
//
//	go run ./tests/bench                     a few minutes
//	go run ./tests/bench --full              more rounds, and Go's default GC as well
//	go run ./tests/bench --strict            fails when a pipeline costs more than it may
//
// All targets of a comparison run at the same time and take turns in short
// slices, so that a machine that changes its pace does so for all of them. CPU
// time comes from the operating system's accounting of the target process alone,
// and slices that other processes disturb are repeated.
//
// One trap to know: a larger live heap makes Go collect less often, so a stage
// that keeps state can look cheaper than none at GOGC=100. That is why the first
// comparison gives all targets the same room, by GOGC=off and GOMEMLIMIT.
package main
