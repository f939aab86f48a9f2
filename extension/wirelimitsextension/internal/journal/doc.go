// SPDX-License-Identifier: Apache-2.0

// Package journal records which requests are being handled, in a file that survives the
// process. If the process dies, the next process finds these requests in the file, and each
// gets a strike. Requests with a strike are suspects. They are handled one at a time, so that
// requests that were only in flight at the same time pass and are cleared. A request with
// MaxStrikes strikes is poison, and is not handled any more.
//
// Open opens the journal; Begin and the entry's End enclose the handling of a request.
//
// The file has a fixed size. Its content is not trusted: each record has a checksum, and
// invalid records are ignored. It is written without fsync, so it survives the death of the
// process only: if the machine dies, no request gets a strike.
package journal
