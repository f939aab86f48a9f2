package conformanceconnector

import (
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

const (
	serviceNameKey = "service.name"
	rpcServiceKey  = "rpc.service"
)

// walk is one pass over one batch. It belongs to one goroutine, and then to the next
// batch, which mostly has the same names.
type walk struct {
	*state
	now        time.Time
	generation int

	scope  *scope
	tally  [kinds]tally
	logged logTally // of the source of log records

	spans                  [recentNames]recentSpan
	metrics                [recentNames]recentMetric
	spansSeen, metricsSeen uint64     // in this scope, a bit each
	longSpan               recentSpan // whose name is too long to be remembered
	longMetric             recentMetric
	recentRecord           recentItems // of this scope
	attributes             [recentAttributes]*attributeVerdict
	fields                 tracecontext.Fields
	batch                  *spanBatch
	sampling               *sampling
	hashes                 []uint64
}

// begin starts a pass. The caller ends it.
func (s *state) begin() *walk {
	s.mu.RLock()
	w := s.walks.Get().(*walk)
	if w.generation != s.generation {
		*w = walk{state: s, generation: s.generation}
	}
	w.now = time.Now()
	if sampling := s.window.sampling.Load(); sampling != w.sampling {
		w.sampling, w.batch = sampling, newSpanBatch()
	}
	return w
}

func (w *walk) end() {
	defer w.mu.RUnlock() // also when there is a panic, which the receiver recovers from
	w.flush()
	w.scope = nil
	w.walks.Put(w)
}

// enter goes into a scope, and counts its resource's and its own attributes.
func (w *walk) enter(resource pcommon.Map, sc pcommon.InstrumentationScope) {
	owner := w.owner(resource, sc.Name())
	name := text(resource, serviceNameKey)
	key := naming.Context{Owner: owner, Scope: sc.Name(), Service: name}
	found, ok := w.verdicts.contexts.get(key)
	if !ok {
		found = w.newScope(key)
	}
	w.scope = found
	w.recentRecord.keys = w.recentRecord.keys[:0]
	found.expectation.came(w.now)
	w.scope.service.seen.Store(w.now.UnixNano())
	w.keys(sc.Attributes(), owner)
}

func (w *walk) newScope(key naming.Context) *scope {
	svc := w.services.of(key.Service, w.now)
	long := len(key.Service)+len(key.Scope) > maxCachedName
	// What is longer than any name is known by its beginning.
	key.Scope = strings.Clone(naming.Beginning(key.Scope, maxText))
	key.Service = strings.Clone(naming.Beginning(key.Service, maxText))
	sc := &scope{key, svc, w.expectation(key.Owner), long}
	if !long {
		w.verdicts.contexts.put(key, sc)
	}
	return sc
}

// leave adds up what was counted in a scope.
func (w *walk) leave() {
	w.addUpSpans()
	w.addUpMetrics()
	svc := w.scope.service
	var items int64
	for k := range w.tally {
		svc.items[k].add(w.tally[k])
		items += w.tally[k].checked
		w.tally[k] = tally{}
	}
	if svc == w.services.other {
		w.refuse(limitServices, items)
	}
}

// owner is the system that owns what a resource and a scope send, or nil.
func (w *walk) owner(resource pcommon.Map, scope string) *naming.System {
	return w.namer.Owner(func(key string) (string, bool) {
		v, ok := resource.Get(key)
		if !ok || v.Type() != pcommon.ValueTypeStr {
			return "", false
		}
		return v.Str(), true
	}, scope)
}

// item counts one item.
func (w *walk) item(k kind, conformant bool) {
	w.tally[k].checked++
	if conformant {
		w.tally[k].conformant++
	}
}

// keys judges the keys of attributes.
func (w *walk) keys(attrs pcommon.Map, owner *naming.System) {
	for key := range attrs.All() {
		w.judged(w.attribute(key, owner))
	}
}

// judged counts a key.
func (w *walk) judged(v *attributeVerdict) {
	w.item(kindAttribute, v.row == nil)
	if v.row != nil {
		w.found(v.row, pcommon.TraceID{})
	}
}

// attribute is what is decided for a key.
func (w *walk) attribute(key string, owner *naming.System) *attributeVerdict {
	svc := w.scope.service
	recent := &w.attributes[recentSlot(key)%recentAttributes]
	v := *recent
	if v == nil || v.key != key || v.service != svc || v.owner != owner {
		v = w.attributeVerdict(svc, owner, key)
		if len(key) <= maxCachedName {
			*recent = v
		}
	}
	return v
}

// text is a string attribute's value, or empty.
func text(attrs pcommon.Map, key string) string {
	if v, ok := attrs.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}
