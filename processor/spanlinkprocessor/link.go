// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"cmp"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/ancestry"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
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
	// maxTargets is how many targets are collected before spans are linked to them. With more,
	// the links of a span can depend on the order of its keys.
	maxTargets = 1 << 13
	// remoteFlags mean that the linked span's context came from another process (OTLP's
	// CONTEXT_HAS_IS_REMOTE and CONTEXT_IS_REMOTE).
	remoteFlags = 0x300
)

// target is what a span is to be linked to.
type target struct {
	*entry
	correlation.Member
	forward bool
}

// aim adds the targets that were decided for an entry. Spans are linked after all their keys were
// looked up, so that their links do not depend on the order of look-ups.
func (w *walk) aim(e *entry, members []correlation.Member) {
	counts := &w.counts[e.stage.Rule.Number]
	if w.decision.Ambiguous {
		counts.ambiguous++
	}
	for _, place := range w.decision.Earlier {
		w.targets = append(w.targets, target{e, members[place], false})
	}
	late := w.decision.Later
	if !w.audited || e.stage.Rule.HoldFor == 0 { // with enforce, the later span would have been held
		counts.reversed += int64(len(late))
	}
	for _, place := range late {
		w.targets = append(w.targets, target{e, members[place], true})
	}
	if len(w.targets) > maxTargets {
		w.linkTargets()
	}
}

// linkTargets links spans to the targets that were gathered.
func (w *walk) linkTargets() {
	slices.SortStableFunc(w.targets, func(a, b target) int {
		return cmp.Or(cmp.Compare(a.span, b.span), linkrule.Compare(&a.Member, &b.Member))
	})
	for left := w.targets; len(left) > 0; {
		n := 1
		for n < len(left) && left[n].span == left[0].span {
			n++
		}
		w.linkSpan(w.spans[left[0].span].Span, left[:n])
		left = left[n:]
	}
	clear(w.targets)
	w.targets = w.targets[:0]
}

// linkSpan adds the links that a span does not have yet. Of more than it can have, it adds the
// earliest.
func (w *walk) linkSpan(span ptrace.Span, targets []target) {
	room := w.readLinks(span.Links())
	for i := range targets {
		t := &targets[i]
		if i > 0 && t.Is(&targets[i-1].Member) {
			continue // found by another key as well
		}
		counts := &w.counts[t.stage.Rule.Number]
		if _, ok := w.present[idOf(&t.Member)]; ok {
			counts.matched++
		} else if room > 0 {
			counts.matched++
			room--
			addLink(span, t)
		} else {
			counts.capped++
			if dropped := span.DroppedLinksCount(); dropped < math.MaxUint32 {
				span.SetDroppedLinksCount(dropped + 1)
			}
		}
	}
}

// readLinks reads the links that a span has. It returns how many more it can have.
func (w *walk) readLinks(links ptrace.SpanLinkSlice) (room int) {
	if len(w.present) > maxPooled {
		w.present = map[ancestry.ID]struct{}{}
	}
	clear(w.present)
	derived := 0
	for _, link := range links.All() {
		w.present[ancestry.ID{Trace: link.TraceID(), Span: link.SpanID()}] = struct{}{}
		if _, ok := link.Attributes().Get(ruleKey); ok {
			derived++
		}
	}
	return max(0, min(maxDerived-derived, maxLinks-links.Len()))
}

func addLink(span ptrace.Span, to *target) {
	link := span.Links().AppendEmpty()
	link.SetTraceID(to.TraceID)
	link.SetSpanID(to.SpanID)
	link.SetFlags(uint32(to.Flags) | remoteFlags)
	if to.TraceState != "" {
		link.TraceState().FromRaw(to.TraceState)
	}
	attributes := link.Attributes()
	attributes.EnsureCapacity(7)
	attributes.PutStr(refTypeKey, followsFrom)
	attributes.PutStr(ruleKey, to.stage.Rule.Name)
	attributes.PutStr(nameKey, to.stage.KeyName)
	if to.text != "" {
		attributes.PutStr(valueKey, to.text)
	}
	earlier, later := to.Start, span.StartTimestamp()
	if to.forward {
		earlier, later = later, earlier
	}
	attributes.PutInt(delayKey, milliseconds(earlier, later))
	evidence := evidenceSpan
	if to.Log {
		evidence = evidenceLog
	}
	attributes.PutStr(evidenceKey, evidence)
	if to.forward {
		attributes.PutStr(directionKey, directionForward)
	}
}

// milliseconds returns the time between two timestamps, which is negative if clocks differ.
func milliseconds(from, to pcommon.Timestamp) int64 {
	const perMillisecond = 1e6
	if to < from {
		return -int64((from - to) / perMillisecond)
	}
	return int64((to - from) / perMillisecond)
}
