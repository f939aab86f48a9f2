// SPDX-License-Identifier: Apache-2.0

// Package namecache remembers what was decided about names in telemetry, in bounded memory whatever is sent.
// A Cache finds a decision by its name. Keys finds those about the attribute keys of a map by their positions.
package namecache

import (
	"strings"

	"github.com/puzpuzpuz/xsync/v4"
)

const (
	// maxEntries limits each cache. A program has hundreds of names, so a full cache means that a sender puts
	// values into names.
	maxEntries = 1 << 14
	// MaxLength is the number of bytes of the longest texts of a key that is stored.
	MaxLength = 256
)

// Cache holds a value for each key. A full cache is cleared: names in use then need one more decision each. It is
// safe for concurrent use.
type Cache[K comparable, V any] struct{ entries *xsync.Map[K, V] }

// New returns an empty Cache.
func New[K comparable, V any]() Cache[K, V] { return Cache[K, V]{xsync.NewMap[K, V]()} }

// Get returns the value of a key.
func (c Cache[K, V]) Get(key K) (V, bool) { return c.entries.Load(key) }

// Put stores a value and returns it, or returns the value that another goroutine stored first. The key must not share
// memory with telemetry. Length is that of its texts: a key that is too long is not stored.
func (c Cache[K, V]) Put(key K, length int, value V) V {
	if c.makeRoom(length) {
		value, _ = c.entries.LoadOrStore(key, value)
	}
	return value
}

// Replace is Put, but overwrites an earlier value.
func (c Cache[K, V]) Replace(key K, length int, value V) {
	if c.makeRoom(length) {
		c.entries.Store(key, value)
	}
}

// makeRoom reports whether a key can be stored.
func (c Cache[K, V]) makeRoom(length int) bool {
	if length > MaxLength {
		return false
	}
	if c.entries.Size() >= maxEntries {
		c.entries.Clear()
	}
	return true
}

// Clear removes all entries.
func (c Cache[K, V]) Clear() { c.entries.Clear() }

// ByText returns the value of a text, and decides it if the cache has none.
func ByText[V any](c Cache[string, V], text string, decide func(text string) V) V {
	if value, ok := c.Get(text); ok {
		return value
	}
	if len(text) > MaxLength {
		return decide(text)
	}
	text = strings.Clone(text)
	return c.Put(text, len(text), decide(text))
}
