package verdict

import "github.com/puzpuzpuz/xsync/v4"

// MaxCachedName is the longest name that is remembered, which bounds a cache in bytes as well.
const MaxCachedName = 256

// maxCached bounds each cache. A program has hundreds of names.
const maxCached = 1 << 13

// cache remembers what was decided for a key. When it is full it starts anew, so that no stream of
// names makes it grow. It is safe for concurrent use.
type cache[K comparable, V any] struct{ *xsync.Map[K, V] }

func newCache[K comparable, V any]() cache[K, V] { return cache[K, V]{xsync.NewMap[K, V]()} }

// put remembers a value. The key must not share memory with telemetry.
func (c cache[K, V]) put(key K, value V) {
	if c.Size() >= maxCached {
		c.Clear()
	}
	c.Store(key, value)
}
