// SPDX-License-Identifier: Apache-2.0

// Package wire estimates the memory and the nesting depth of an OTLP request from its encoded
// bytes, and stops when a limit is exceeded. NewProtobuf and NewJSON return a Checker, which
// receives the bytes in chunks as they arrive. It reads them once, without recursion, and keeps
// none.
//
// The package knows which fields of OTLP contain messages, and nothing else of OTLP. It accepts
// invalid protobuf, because decoding refuses it with its own error. It refuses invalid JSON,
// for the reason that type JSON explains.
package wire
