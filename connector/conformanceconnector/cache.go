package conformanceconnector

import "github.com/puzpuzpuz/xsync/v4"

const (
	// maxVerdicts bounds each cache. A program has hundreds of names.
	maxVerdicts = 1 << 13
	// maxCachedName is the longest name that is remembered, which bounds a cache in bytes
	// as well.
	maxCachedName = 256
)

// cache remembers what was decided for a key. When it is full it starts anew, so that
// no stream of names makes it grow. It is safe for concurrent use.
type cache[K comparable, V any] struct{ entries *xsync.Map[K, V] }

func newCache[K comparable, V any]() cache[K, V] { return cache[K, V]{xsync.NewMap[K, V]()} }

func (c cache[K, V]) get(key K) (V, bool) { return c.entries.Load(key) }

// put remembers a value. The key must not share memory with telemetry.
func (c cache[K, V]) put(key K, value V) {
	if c.entries.Size() >= maxVerdicts {
		c.entries.Clear()
	}
	c.entries.Store(key, value)
}
