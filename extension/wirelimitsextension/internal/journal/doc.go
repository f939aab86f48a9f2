// Package journal remembers which requests are being handled in a file that outlives the
// process. When the process dies, the next one finds there what it was handling, and each
// of these requests gets a strike. Requests with a strike are suspects: they are handled one
// at a time, so that those that were in flight beside the one that kills pass and are cleared.
// A request with MaxStrikes is poison: it is not handled any more.
//
// The file has a fixed size. Its content is not trusted: each record has a checksum, and
// records that are not valid are ignored. It is written without fsync: it survives the death
// of the process, and a death of the machine is nobody's strike.
package journal
