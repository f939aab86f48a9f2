// Package doctor is the command `otelcol-tc doctor`: it reads a configuration as the
// collector does and says what in it will hurt, each with the file and the line.
//
//	my.yaml:31: warning no-memory-limiter: pipeline "traces" has no memory_limiter (…)
//
// `otelcol-tc validate` finds what keeps a collector from starting. Most rules come from a
// fault that lost data, ended the process or kept it from ending in a test of this release:
// rule.go and the command's help state the fault.
//
// The rules look at the components in use, with their defaults: a setting that is in no file
// counts with its default.
package doctor
