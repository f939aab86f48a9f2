// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package spanlinkprocessor links spans that belong together although no parent joins
// them: work that is queued, staged or handed from peer to peer. Rules say by which
// key. The correlation_index extension remembers who had it.
//
// A batch goes through walk, which reads the keys of its spans. The index returns the spans
// that had them before. Package linkrule decides which of those are linked, and link writes it.
package spanlinkprocessor
