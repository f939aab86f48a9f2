// Package logformat takes lines of text logs apart: by the layouts that packs
// describe, and by general formats of its own.
//
// A record is one line, or a line and those that go on with it. Its first line
// decides its format.
package logformat
