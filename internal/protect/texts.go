// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// minText is the length of the shortest text with a secret: ?sig=x. Most of these fields are shorter: INFO, ERROR, ms.
const minText = 6

// text removes the secrets of URLs from a field that is a text without a key.
func (w *Walk) text(form content.URL, text string, set func(string)) {
	if len(text) < minText || strings.IndexByte(text, ':') < 0 && strings.IndexByte(text, '=') < 0 {
		return
	}
	slot, hash := w.unchanged(aField+form, text)
	if *slot == hash {
		return // many metrics have one name
	}
	if now := w.policy.ScrubURLs(form, text); now != text {
		set(now)
		w.replaced(w.policy.URLRule(), 0)
	} else {
		*slot = hash
	}
}

func (w *Walk) schema(url string, set func(string)) { w.text(content.Address, url, set) }

func (w *Walk) scopeTexts(scope pcommon.InstrumentationScope) {
	w.text(content.Name, scope.Name(), scope.SetName)
	w.text(content.Name, scope.Version(), scope.SetVersion)
}

// traceState protects the values of vendors in a trace state.
func (w *Walk) traceState(state pcommon.TraceState) {
	w.text(content.Pairs, state.AsRaw(), state.FromRaw)
	if w.models && w.action != content.Keep && strings.ContainsAny(state.AsRaw(), " \t") {
		members := strings.Split(state.AsRaw(), ",")
		for i, member := range members {
			if key, value, ok := strings.Cut(strings.TrimSpace(member), "="); ok && strings.ContainsAny(value, " \t") {
				members[i] = key + "=" + hiddenMember
				w.replaced(w.policy.FreeRule(), 0)
			}
		}
		state.FromRaw(strings.Join(members, ","))
	}
}

// hiddenMember replaces the value of a member of a trace state that is a text.
const hiddenMember = "REDACTED"

// metricTexts protects the name and the unit of a metric about models.
func (w *Walk) metricTexts(m pmetric.Metric) {
	w.plainName(m.Name(), m.SetName)
	if unit := m.Unit(); w.models && w.action != content.Keep && strings.ContainsAny(unit, " \t") {
		m.SetUnit("")
		w.replaced(w.policy.FreeRule(), 0)
	}
}
