package spanlinkprocessor

import (
	"cmp"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// The attributes of derived links.
const (
	refTypeKey   = "opentracing.ref_type" // semantic conventions: the earlier span does not wait for this one
	ruleKey      = "tc.link.rule"
	nameKey      = "tc.link.key"
	valueKey     = "tc.link.key.value"
	delayKey     = "tc.link.delay_ms" // from start to start
	evidenceKey  = "tc.link.evidence"
	directionKey = "tc.link.direction"

	followsFrom      = "follows_from"
	evidenceSpan     = "span"
	evidenceLog      = "log"
	directionForward = "forward"
)

const (
	// maxDerived is how many derived links a span can have.
	maxDerived = 16
	// maxLinks is how many links it can have in all: the limit of OpenTelemetry's SDKs.
	maxLinks = 128
	// remoteFlags say that the linked span's context came from elsewhere (OTLP's
	// CONTEXT_HAS_IS_REMOTE and CONTEXT_IS_REMOTE).
	remoteFlags = 0x300
)

// target is a span that another is to be linked to.
type target struct {
	visitor int32 // who has met it
	forward bool
	start   pcommon.Timestamp // of the visitor's span
	correlation.Member
}

// apply links as was decided about the visitor that makes a visit. A span with several
// keys is linked when all are known, so that it has the same links whatever order its
// keys were looked up in.
func (w *walk) apply(visit int, self *correlation.Member, members []correlation.Member) {
	v := w.visitor(visit)
	known := len(w.targets)
	counts := &w.counts[v.stage.rule.number]
	if w.decision.ambiguous {
		counts.ambiguous++
	}
	w.aim(visit, self, members, w.decision.earlier, false)
	late := int64(len(w.decision.later))
	counts.late += late
	if v.stage.rule.OnLate != conventions.OnLateCount {
		counts.reversed += late
		w.aim(visit, self, members, w.decision.later, true)
	}
	if !v.several {
		w.linkTargets(known)
	}
}

func (w *walk) aim(visit int, self *correlation.Member, members []correlation.Member, places []int32, forward bool) {
	for _, place := range places {
		w.targets = append(w.targets, target{w.turns[visit], forward, self.Start, members[place]})
	}
}

// linkTargets links spans to targets, from one on, that they have no link to: as many as
// they can have, of more than that the earliest.
func (w *walk) linkTargets(from int) {
	targets := w.targets[from:]
	if len(targets) > 1 {
		slices.SortStableFunc(targets, func(a, b target) int {
			if c := compare(&a.Member, &b.Member); c != 0 {
				return c
			}
			return cmp.Compare(a.visitor, b.visitor)
		})
	}
	for i := range targets {
		w.link(&targets[i])
	}
	clear(targets)
	w.targets = w.targets[:from]
}

func (w *walk) link(t *target) {
	v := &w.visitors[t.visitor]
	counts := &w.counts[v.stage.rule.number]
	switch present, room := look(v.span.Links(), &t.Member); {
	case present:
		counts.matched++
	case room:
		counts.matched++
		v.add(t)
	default:
		counts.capped++
		if dropped := v.span.DroppedLinksCount(); dropped < math.MaxUint32 {
			v.span.SetDroppedLinksCount(dropped + 1)
		}
	}
}

// look tells whether a link to the target is there, and whether there is room for one.
func look(links ptrace.SpanLinkSlice, target *correlation.Member) (present, room bool) {
	derived := 0
	for _, link := range links.All() {
		if link.SpanID() == target.SpanID && link.TraceID() == target.TraceID {
			return true, false
		}
		if _, ok := link.Attributes().Get(ruleKey); ok {
			derived++
		}
	}
	return false, derived < maxDerived && links.Len() < maxLinks
}

// add adds the link.
func (v *visitor) add(t *target) {
	link := v.span.Links().AppendEmpty()
	link.SetTraceID(t.TraceID)
	link.SetSpanID(t.SpanID)
	link.SetFlags(uint32(t.Flags) | remoteFlags)
	if t.TraceState != "" {
		link.TraceState().FromRaw(t.TraceState)
	}
	attributes := link.Attributes()
	attributes.EnsureCapacity(5 + count(v.text != "") + count(t.forward))
	attributes.PutStr(refTypeKey, followsFrom)
	attributes.PutStr(ruleKey, v.stage.rule.Name)
	attributes.PutStr(nameKey, v.stage.keyName)
	if v.text != "" {
		attributes.PutStr(valueKey, v.text)
	}
	earlier, later := t.Start, t.start
	if t.forward {
		earlier, later = later, earlier
	}
	attributes.PutInt(delayKey, milliseconds(earlier, later))
	evidence := evidenceSpan
	if t.Log {
		evidence = evidenceLog
	}
	attributes.PutStr(evidenceKey, evidence)
	if t.forward {
		attributes.PutStr(directionKey, directionForward)
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// milliseconds is the time between two timestamps. It is negative where clocks differ.
func milliseconds(from, to pcommon.Timestamp) int64 {
	const perMillisecond = 1e6
	if to < from {
		return -int64((from - to) / perMillisecond)
	}
	return int64((to - from) / perMillisecond)
}
