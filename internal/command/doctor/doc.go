// Package doctor is the command `otelcol-tc doctor`: it reads a configuration as the
// collector does and says what in it will hurt, each with the file and the line.
//
//	my.yaml:31: warning no-memory-limiter: pipeline "traces" has no memory_limiter (…)
//
// What is wrong enough to keep a collector from its start is left to `otelcol-tc validate`.
// Most rules come from a fault that lost data, took the process down or kept it from ending
// when it was tried on this release; each says so in rule.go and in the command's help.
//
// The rules look at what is in use, with the components' own defaults: a setting that is not
// in any file counts with the value it has.
package doctor
