//go:generate go tool mdatagen metadata.yaml

// Package spanlinkprocessor links spans that belong together although no parent joins
// them: work that is queued, staged or handed from peer to peer. Rules say by which
// key; the correlation_index extension remembers who had it.
//
// A batch goes through walk: stages tells which spans have a key, the index says who
// had it before, decide says which of those are linked, and link writes it.
package spanlinkprocessor
