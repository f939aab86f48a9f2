// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"crypto/sha256"
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Key is the keyed hash of a rule's name, of the values of its scope, and of a value. The hash is a
// cryptographic one, so that no sender can make two equal keys. Who does not know the HashKey cannot test whether a
// value is among the keys.
type Key struct{ Hi, Lo uint64 }

// HashKey is the secret of an index's keys. All writers of one index have the same.
type HashKey [16]byte

// NewHashKey returns the key of a secret, or zero if there is none.
func NewHashKey(secret string) (key HashKey) {
	if secret != "" {
		hash := sha256.Sum256([]byte(secret))
		copy(key[:], hash[:])
	}
	return key
}

// Writer makes keys, one after the other. It belongs to one goroutine.
type Writer struct {
	HashKey HashKey
	text    []byte
}

// Begin starts the key of a rule.
func (w *Writer) Begin(rule string) {
	w.text = append(w.text[:0], w.HashKey[:]...)
	w.Add(rule)
}

// longPart is the length from which a part is written as its hash, so that a key is
// short, whatever it is made of.
const longPart = 128

// Add adds a part. The parts ("a", "bc") make another key than ("ab", "c").
func (w *Writer) Add(part string) {
	w.text = binary.AppendUvarint(w.text, uint64(len(part)))
	if len(part) < longPart {
		w.text = append(w.text, part...)
		return
	}
	hash := sha256.Sum256([]byte(part))
	w.text = append(w.text, hash[:]...)
}

// Len returns the length of what is written.
func (w *Writer) Len() int { return len(w.text) }

// Truncate removes what was added after the key had this length.
func (w *Writer) Truncate(length int) { w.text = w.text[:length] }

// Key returns the key of what was added.
func (w *Writer) Key() Key {
	hash := sha256.Sum256(w.text)
	return Key{binary.BigEndian.Uint64(hash[:]), binary.BigEndian.Uint64(hash[8:])}
}

// KeyOfTrace returns the key by which a trace is found whose upper 8 bytes are unknown.
func (w *Writer) KeyOfTrace(id pcommon.TraceID) Key {
	w.Begin("") // no rule has this name
	w.text = append(w.text, id[8:]...)
	return w.Key()
}
