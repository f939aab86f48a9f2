// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// Counter gets the number of values that a rule replaced.
type Counter func(rule *content.Rule, action content.Action, values int64)

// Walk protects batches, one at a time. Later batches use its state again, because they mostly have the
// same keys. It is not safe for concurrent use.
type Walk struct {
	policy *content.Policy
	count  Counter

	keys   namecache.KeysByShape[content.Key]   // of attributes
	memory namecache.Cache[string, content.Key] // of all keys, and of paths
	path   []byte                               // of the current map

	// Of the current resource.
	service string
	action  content.Action
	values  []int64 // that were replaced, by rule
	touched []*content.Rule

	name    string        // of a span, without secrets
	metrics bool          // the batch has metrics
	event   *content.Rule // of the current event or log record, if its fields are content
	scope   *content.Scope
	record  record   // the current log record
	lines   bool     // texts are lines of the log
	lengths []length // of the current map

	stream uint64 // of the current data point; 0 if nothing was replaced
}

// length is how much text of a map was replaced.
type length struct {
	key   string
	bytes int64
}

// New returns a walk with a policy.
func New(policy *content.Policy, count Counter) *Walk {
	return &Walk{policy: policy, count: count, memory: namecache.New[string, content.Key](), values: make([]int64, len(policy.Rules()))}
}

const serviceName = "service.name"

// begin begins a resource and protects its attributes. It reports whether anything of it can change.
func (w *Walk) begin(resource pcommon.Map) bool {
	w.service = attributes.Text(resource, serviceName)
	w.action = w.policy.Service(w.service)
	if !w.policy.Protects(w.action) {
		return false
	}
	w.attributes(resource, false)
	return true
}

// end counts the values of a resource that were replaced.
func (w *Walk) end() {
	for _, rule := range w.touched {
		action, values := w.policy.Action(rule, w.action), w.values[rule.Index()]
		w.values[rule.Index()] = 0
		w.policy.Count(w.service, rule, action, values)
		w.count(rule, action, values)
	}
	w.touched, w.service, w.name = w.touched[:0], "", ""
}

// attributes protects the attributes of one map. With lengths, it adds the lengths of the replaced texts to
// the map, for a log record those of the body too. Data points get none: they would be new series.
func (w *Walk) attributes(attrs pcommon.Map, lengths bool) {
	if attrs.Len() == 0 && len(w.lengths) == 0 {
		return
	}
	keys := w.keys.Of(w.scope.Index(), attrs)
	i := -1
	for key, value := range attrs.All() {
		i++
		k, known := keys.At(i, key)
		if !known {
			k = w.learn(k, key)
		}
		if k.Line && w.record.known {
			w.lines = true
			w.value(w.field(key, *k), key, value)
			w.lines = false
			continue
		}
		if k.Rule != nil || w.event != nil {
			w.value(w.field(key, *k), key, value)
			continue
		}
		// A search for one byte is the cheapest one, and few texts have a colon.
		if text := value.Str(); text != "" {
			if k.URL != content.AnyText || len(text) >= minURL && strings.IndexByte(text, ':') >= 0 {
				w.scrub(k.URL, value)
			}
		} else if value.Type() >= pcommon.ValueTypeMap {
			w.pass(key, k.URL, value)
		}
	}
	if lengths {
		w.addLengths(attrs)
	}
	w.lengths = w.lengths[:0]
}

// minURL is the length of the shortest URL with a secret: a://b@c.
const minURL = 7

// learn decides about a key that is not in the cache, and stores the decision in k. A nil k means that the
// cache has no room.
func (w *Walk) learn(k *content.Key, key string) *content.Key {
	if k == nil {
		k = new(content.Key)
	}
	*k = w.policy.InScope(w.scope, key, namecache.ByText(w.memory, key, w.policy.Key))
	return k
}

// field returns the decision about a key of the current event.
func (w *Walk) field(key string, k content.Key) content.Key {
	if w.event == nil {
		return k
	}
	return w.policy.Field(w.event, key, k)
}

// addLengths adds the lengths of what was replaced in a map. A length that is there stays: another
// collector replaced the text before.
func (w *Walk) addLengths(attrs pcommon.Map) {
	for _, l := range w.lengths {
		if value, ok := attrs.GetOrPutEmpty(l.key); !ok {
			value.SetInt(l.bytes)
		}
	}
}

// replaced counts a text that was replaced.
func (w *Walk) replaced(rule *content.Rule, bytes int) {
	if w.values[rule.Index()]++; w.values[rule.Index()] == 1 {
		w.touched = append(w.touched, rule)
	}
	if rule.LengthKey == "" || bytes == 0 {
		return
	}
	for i := range w.lengths {
		if w.lengths[i].key == rule.LengthKey {
			w.lengths[i].bytes += int64(bytes)
			return
		}
	}
	w.lengths = append(w.lengths, length{rule.LengthKey, int64(bytes)})
}
