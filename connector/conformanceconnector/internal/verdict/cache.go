// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/puzpuzpuz/xsync/v4"

// MaxCachedName is the length of the longest name that is cached. It limits the size of a cache in bytes.
const MaxCachedName = 256

// maxCached limits each cache. A program has hundreds of names.
const maxCached = 1 << 13

// cache holds the decision for each key. A full cache is cleared, so a sender of ever new names cannot
// make it grow. It is safe for concurrent use.
type cache[K comparable, V any] struct{ *xsync.Map[K, V] }

func newCache[K comparable, V any]() cache[K, V] { return cache[K, V]{xsync.NewMap[K, V]()} }

// put stores a value. The key must not share memory with telemetry.
func (c cache[K, V]) put(key K, value V) {
	if c.Size() >= maxCached {
		c.Clear()
	}
	c.Store(key, value)
}
