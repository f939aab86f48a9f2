// SPDX-License-Identifier: Apache-2.0

// Package doctor is the command `otelcol-tc doctor`. It reads a configuration as the collector does and
// reports settings that cause faults, with the file and the line:
//
//	my.yaml:31: warning no-memory-limiter: pipeline "traces" has no memory_limiter (…)
//
// `otelcol-tc validate` reports errors that prevent a start. The rules of doctor report valid settings.
// Most rules are based on a fault in a test of this release that lost data, ended the process or blocked
// its shutdown. rule.go and the command's help describe these faults.
//
// The rules check the components in use, including the defaults of settings that no file sets.
package doctor
