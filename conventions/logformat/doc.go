// SPDX-License-Identifier: Apache-2.0

// Package logformat parses records of text logs, by the layouts that packs describe and by
// general formats such as JSON and logfmt.
//
// A record is one line, or a line and its continuation lines. Its first line decides its
// format. New returns the formats of packs; Formats.Head finds the lines that begin a record,
// and Formats.Match parses a record into an Entry.
package logformat
