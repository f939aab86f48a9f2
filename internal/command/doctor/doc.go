// SPDX-License-Identifier: Apache-2.0

// Package doctor is the command `otelcol-tc doctor`. It reads a configuration as the collector does and
// reports settings that cause faults, with the file and the line:
//
//	my.yaml:31: warning no-memory-limiter: pipeline "traces" has no memory_limiter (…)
//
// `otelcol-tc validate` reports errors that prevent a start. The rules of doctor report valid settings.
// Most rules are based on a fault in a test of this release that lost data, ended the process or blocked
// its shutdown. The rules and the command's help describe these faults.
//
// Calls go downwards: this package has the command, internal/rules the rules, internal/facts what they know about the
// components and pipelines of a configuration, and internal/source the lines of its texts.
package doctor
