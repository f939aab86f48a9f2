// SPDX-License-Identifier: Apache-2.0

// Package tail follows log files. A Tailer finds files (walk.go) and reads each in turns of
// bounded size (turn.go). It opens files so that nobody who can write below a watched directory
// can lead it elsewhere (open.go). It recognises a file after a rotation, a truncation or a
// restart (checkpoint.go, copies.go).
//
// Create it with New, add the files of the last run with Restore, then call Start and Stop. A
// Reader receives what is read of each file.
package tail
