// SPDX-License-Identifier: Apache-2.0

// Package tracecontext decides which trace and span a log record belongs to, from its fields
// and its text.
//
//   - Keys knows the keys under which loggers write ids. Its table has the format of their
//     values, and how much each is trusted.
//   - Evidence collects what a record states under these keys. JSON and Scan read texts.
//   - Decision considers one source after the other, the most trusted first, and chooses one
//     trace and one span or finds that a source contradicts itself.
//
// Fields does all three for a caller that has parsed fields and a single source.
//
// A wrong id is worse than none. A value that is not exactly an id is rejected. A key that had
// one invalid value has no id. A span id counts only together with the trace id of the same
// style of key.
package tracecontext
