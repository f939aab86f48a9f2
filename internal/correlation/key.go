package correlation

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Key is the fingerprint of a rule's name, of what scopes it, and of a value. The
// zero Key is none.
type Key struct{ Hi, Lo uint64 }

// Writer makes keys, one after the other. Its zero value is ready for use; it belongs
// to one goroutine.
type Writer struct{ text []byte }

// Begin begins the key of a rule.
func (w *Writer) Begin(rule string) {
	w.text = w.text[:0]
	w.Add(rule)
}

// longPart is the length from which a part is written as its hash, so that a key is
// short, whatever it is made of.
const longPart = 128

// Add adds a part. Parts keep apart: ("a", "bc") is not ("ab", "c").
func (w *Writer) Add(part string) {
	w.text = binary.AppendUvarint(w.text, uint64(len(part)))
	if len(part) < longPart {
		w.text = append(w.text, part...)
		return
	}
	hash := xxh3.HashString128(part).Bytes()
	w.text = append(w.text, hash[:]...)
}

// BeginAs begins a key with what another had at its beginning.
func (w *Writer) BeginAs(begun []byte) { w.text = append(w.text[:0], begun...) }

// AppendTo appends what is written.
func (w *Writer) AppendTo(begun []byte) []byte { return append(begun, w.text...) }

// Mark is how much of a key is written, to go on from there more than once.
func (w *Writer) Mark() int { return len(w.text) }

// Back forgets what was added after a mark.
func (w *Writer) Back(mark int) { w.text = w.text[:mark] }

// Key is the key of what was added.
func (w *Writer) Key(seed uint64) Key {
	hash := xxh3.Hash128Seed(w.text, seed)
	if hash == (xxh3.Uint128{}) {
		hash.Lo = 1
	}
	return Key{hash.Hi, hash.Lo}
}

// KeyOfTrace is the key by which a trace is found whose upper 8 bytes are unknown.
func (w *Writer) KeyOfTrace(id pcommon.TraceID, seed uint64) Key {
	w.Begin("") // no rule has this name
	w.text = append(w.text, id[8:]...)
	return w.Key(seed)
}
