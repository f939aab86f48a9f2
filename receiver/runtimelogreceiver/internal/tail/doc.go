// SPDX-License-Identifier: Apache-2.0

// Package tail follows log files. A Tailer finds files (walk.go) and reads each in turns of
// bounded size (turn.go). It opens files so that nobody who can write below a watched directory
// can lead it elsewhere (open.go). It recognises a file after a rotation, a truncation or a
// restart (checkpoint.go, copies.go), and in an archive (archives.go).
//
// Create it with New, add the files of the last run with Restore, then call Start and Stop. A
// Reader receives what is read of each file.
//
// # Invariants
//
// Readable means that some file which a pattern matches has the line, or that the Tailer has such a file open.
//
//   - A line that stays readable is read, whatever becomes of its file: renamed, copied, compressed, deleted, or left
//     to the next run.
//   - A line is read again only if its position was not stored when the process ended, so at most MaxLines of each file
//     after a kill, or if its file was copied and then truncated while it was read. No archive makes a line come again.
//   - The lines of a file are read in their order.
//   - A file is the one of a checkpoint only if it has what was read: its inode and its name prove nothing, and neither
//     does a beginning that other files have as well.
//   - Whatever the files and the checkpoints are, a start succeeds. At most MaxOpen files are open, and one more during
//     a poll.
//
// TestExplore plays random histories against these.
package tail
