// SPDX-License-Identifier: Apache-2.0

// Package diskqueue is a first-in, first-out queue of byte records on disk. Any number of goroutines append,
// and one consumes. An empty queue has no records on disk, and nothing is written while nobody appends or
// removes.
//
// # Files
//
//	lock                          locked while a process has the queue open
//	head                          the position of the first record
//	00000000000000000001.segment  records, appended only; numbers ascend and do not come again
//
// Numbers are little-endian. A record is a header and a payload:
//
//	offset  bytes  field
//	     0      4  magic: ff 'T' 'C' 'q'
//	     4      4  length of the payload
//	     8      4  items
//	    12      4  CRC-32C of the payload
//	    16      8  time of the append: Unix time in nanoseconds
//	    24      4  CRC-32C of the segment's number, the record's offset, and the header up to here
//
// The header has a checksum of its own, so that Open need not read payloads, and a damaged payload does not
// hide where the next record begins. The number and the offset in it tell a record from a copy of a record
// inside a payload.
//
// The head is in two slots, at the offsets 0 and 4096, which are written in turn. The valid one with the
// higher sequence counts:
//
//	offset  bytes  field
//	     0      8  sequence
//	     8      8  number of the segment
//	    16      8  offset in it
//	    24      4  deaths with this head, if the process dies now
//	    28      4  CRC-32C of the slot up to here
//
// The file is complete before the first segment exists. Later writes change it in place and need no space. The
// head is saved before a segment is deleted. If its segment is missing, the next one that exists comes first.
//
// # Guarantees
//
// Killed means SIGKILL at any instruction. Power failure means that the machine loses what was not synced.
//
//	event                           records
//	Append returned nil, killed     none is lost
//	Append did not return, killed   the record is there as a whole, or not at all
//	Append returned an error        never returned by this process. Only if the error came with one of
//	                                removing the written bytes, or after a power failure, the next process
//	                                may return a record that was written as a whole
//	Remove returned nil, killed     none comes again
//	Remove did not return, killed   they come again, or not
//	Remove returned an error        gone for this process; the next one may return them
//	killed between Begin and End    counted once, for the same head only; Remove and Close end an attempt
//	full disk                       Append returns ErrNoSpace; all other methods work
//	power failure with Sync         as killed
//	power failure without Sync      recent appends and removals may be undone; no damaged record is returned
//	torn end                        cut off by Open
//	damaged record                  left out and counted in bytes; all others come, in order
//	read error of the disk          returned by Peek. After five in a row at one head, the record is left out
//	                                if the disk reads what is behind it
//	head lost                       the queue begins at its first segment: removed records may come again
//
// Damage that looks like a torn end is cut off as one: the last records of the newest segment. Files must not
// be changed while a process has the queue open.
//
// # Invariants
//
// They hold whatever the disk does, and after each crash between two of its calls (TestHistories, TestExplore of
// rendezvousexporter):
//
//   - What Append accepted is returned until it is removed, as it was, and in order.
//   - What Remove removed does not come again.
//   - Open does not fail on a disk that works, whatever is in the files.
//   - Segments take no more than MaxBytes, and MinFreeBytes stay free.
//   - Damage costs the records that it hits, and neither what is behind them nor a look behind them.
//
// # Cost
//
// A record takes 28 bytes and its payload; the head's file 4128 bytes. Open reads a header for each record,
// and the payloads of the newest segment. Peek holds the payloads that it returns, and 16 KiB. A segment is
// deleted as a whole, so removed records take up at most one segment.
package diskqueue
