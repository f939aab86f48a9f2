// SPDX-License-Identifier: Apache-2.0

// Package protect replaces values that must not travel on. Package conventions/content decides which ones,
// and by what. The package walks all places of a batch where attributes are: of resources, scopes, spans,
// events, links, data points, exemplars and log records, maps and lists inside them, and the bodies of
// logs.
package protect

import (
	"hash/maphash"
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
	// Mapped returns the name of a span for that a pack has a rule, with what part returns for its parts. It may be nil.
	Mapped func(name string, part func(string) string) (mapped string, ok bool)

	policy *content.Policy
	count  Counter
	report func(rule *content.Rule, bytes int) // is replaced; a method value for each text would be garbage

	keys   namecache.KeysByShape[content.Key]   // of attributes
	memory namecache.Cache[string, content.Key] // of all keys
	paths  namecache.Cache[string, content.Key]
	path   []byte // of the current map

	// Of the current resource.
	service string
	action  content.Action
	same    *unchanged      // for the action
	values  []content.Tally // that were replaced, by rule
	touched []*content.Rule
	free    map[string]content.Tally // text under keys that are not known, by key

	// Models means that what the walk is at is about calls to models, and found that a part of the resource was.
	models, found bool
	scopes, names namecache.Cache[string, bool] // of scopes and of metrics, whether they are about calls to models

	name    string        // of a span, without secrets
	metrics bool          // the batch has metrics
	event   *content.Rule // of the current event or log record, if its fields are content
	scope   *content.Scope
	record  record   // the current log record
	lines   bool     // texts are lines of the log
	named   bool     // the current log record is an event of telemetry about models
	nested  bool     // path leads to the current map
	allowed bool     // the user allows the content of what is in the current map
	lengths []length // of the current map

	stream uint64 // of the current data point; 0 if nothing was replaced

	sames map[content.Action]*unchanged
	seed  maphash.Seed
}

// unchanged are the hashes of texts in which nothing was found, by their last bits. Most values come again. They
// have all 64 bits and a seed that nobody knows, so that no other text is taken for one of them.
type unchanged [1 << 10]uint64

// length is how much text of a map was replaced.
type length struct {
	key   string
	bytes int64
}

// New returns a walk with a policy.
func New(policy *content.Policy, count Counter) *Walk {
	w := &Walk{
		policy: policy, count: count, values: make([]content.Tally, len(policy.Rules())), free: map[string]content.Tally{},
		sames: map[content.Action]*unchanged{}, seed: maphash.MakeSeed(),
		memory: namecache.New[string, content.Key](), paths: namecache.New[string, content.Key](), scopes: namecache.New[string, bool](), names: namecache.New[string, bool](),
	}
	w.report = w.replaced
	return w
}

const serviceName = "service.name"

// begin begins a resource. It reports whether anything of it can change.
func (w *Walk) begin(resource pcommon.Map) bool {
	w.service = attributes.Text(resource, serviceName)
	w.action = w.policy.Service(w.service)
	if w.same = w.sames[w.action]; w.same == nil {
		w.same = new(unchanged)
		w.sames[w.action] = w.same
	}
	w.models = w.policy.ModelResource(func(key string) string { return attributes.Text(resource, key) }) ||
		w.hasKey(resource, func(k *content.Key) bool { return k.Models })
	return w.policy.Protects(w.action)
}

// end protects the attributes of a resource, and counts the values that were replaced. The resource of a part that is
// about calls to models is, too.
func (w *Walk) end(resource pcommon.Map) {
	w.models = w.models || w.found
	w.attributes(resource, false)
	for _, rule := range w.touched {
		action, tally := w.policy.Action(rule, w.action), w.values[rule.Index()]
		w.values[rule.Index()] = content.Tally{}
		w.count(rule, action, tally.Values)
		if rule != w.policy.FreeRule() {
			w.policy.Count(w.service, rule, action, "", tally)
		}
	}
	for key, tally := range w.free {
		w.policy.Count(w.service, w.policy.FreeRule(), w.action, key, tally)
	}
	clear(w.free)
	w.touched, w.service, w.name = w.touched[:0], "", ""
	w.models, w.found = false, false
}

// beginScope begins what is in a scope, whose name is that of an instrumentation or a logger. It returns whether the
// resource is about calls to models.
func (w *Walk) beginScope(scope pcommon.InstrumentationScope) (resource bool) {
	resource = w.models
	w.models = resource || namecache.ByText(w.scopes, scope.Name(), w.policy.ModelScope)
	w.scope = w.policy.Scope(scope.Name())
	w.found = w.found || w.models
	return resource
}

// endScope protects the attributes of a scope. One with a part that is about calls to models is, too.
func (w *Walk) endScope(scope pcommon.InstrumentationScope, resource bool) {
	w.models = w.models || w.found
	w.scope = nil
	w.attributes(scope.Attributes(), false)
	w.plainName(scope.Name(), scope.SetName)
	w.plainName(scope.Version(), scope.SetVersion)
	w.models = resource
}

// item protects a span or a log record. If a part of it turns out to be about a call to a model, all of it is, and is
// protected again.
func (w *Walk) item(protect func()) {
	scope := w.models
	protect()
	if w.turned(scope) {
		protect()
	}
	w.models = scope
}

// turned reports whether a part of an item turned out to be about a call to a model, where scope says whether all items
// of the scope are.
func (w *Walk) turned(scope bool) bool {
	if !w.models || scope {
		return false
	}
	w.found = true
	return true
}

// attributes protects the attributes of one map. With lengths, it adds the lengths of the replaced texts to
// the map, for a log record those of the body too. Data points get none: they would be new series.
func (w *Walk) attributes(attrs pcommon.Map, lengths bool) {
	if attrs.Len() == 0 && len(w.lengths) == 0 {
		return
	}
	keys := w.keys.Of(w.scope.Index(), attrs)
	i, models, texts := -1, w.models, false
	for key, value := range attrs.All() {
		i++
		k, known := keys.At(i, key)
		if !known {
			k = w.learn(k, key)
		}
		w.models = w.models || k.Models
		texts = texts || models && k.Text
		if k.Line && w.record.known && !w.named {
			w.lines = true
			w.value(w.field(key, *k), key, value)
			w.lines = false
			continue
		}
		if w.models && k.Rule == nil && w.event == nil && leaves(k, value) {
			continue
		}
		if k.Rule != nil || w.event != nil || w.models {
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
	if texts {
		w.withoutTextKeys(attrs)
	}
	if lengths {
		w.addLengths(attrs)
	}
	w.lengths = w.lengths[:0]
}

// leaves reports whether a value without a field or a URL may leave telemetry about calls to models. Most may.
func leaves(k *content.Key, value pcommon.Value) bool {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return k.Leaves(value.Str())
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice, pcommon.ValueTypeBytes:
		return false
	}
	return true
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

// hasKey reports whether a map has a key of some kind.
func (w *Walk) hasKey(attrs pcommon.Map, is func(k *content.Key) bool) bool {
	keys, i := w.keys.Of(w.scope.Index(), attrs), -1
	for key := range attrs.All() {
		i++
		k, known := keys.At(i, key)
		if !known {
			k = w.learn(k, key)
		}
		if is(k) {
			return true
		}
	}
	return false
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
	tally := &w.values[rule.Index()]
	if tally.Values++; tally.Values == 1 {
		w.touched = append(w.touched, rule)
	}
	tally.Bytes += int64(bytes)
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
