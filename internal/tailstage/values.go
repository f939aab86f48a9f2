// SPDX-License-Identifier: Apache-2.0

package tailstage

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// maxHides limits the keys that Values remembers.
const maxHides = 4096

// Values writes values of attributes as the tail does, for those who show single values of data points. They do not
// know the owner of a point, so a value is hidden if any pack calls it sensitive. It is safe for concurrent use.
type Values struct {
	of *Shown

	mu    sync.Mutex
	hides map[string]bool
}

// NewValues returns the Values of a policy.
func NewValues(p *policy.Policy) *Values {
	return &Values{of: &Shown{stage: &Stage{policy: p}}, hides: map[string]bool{}}
}

// Text returns what may be seen of the value of an attribute.
func (v *Values) Text(key string, value pcommon.Value) string {
	if v.isHidden(key) {
		return Hidden
	}
	md := pmetric.NewMetrics()
	attrs := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty().Attributes()
	shown := attrs.PutEmpty(key)
	value.CopyTo(shown)
	if (&pmetric.ProtoMarshaler{}).MetricsSize(md) > maxBytes {
		return Hidden
	}
	for _, owner := range v.of.stage.policy.Namer().Owners() {
		v.of.hideNested(owner, shown)
	}
	v.of.protect().Metrics(md)
	shown, _ = attrs.Get(key) // the walk can have added an attribute
	return textOf(value, shown)
}

// isHidden reports whether a pack calls the values of a key sensitive, or makes content of them.
func (v *Values) isHidden(key string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	hidden, known := v.hides[key]
	if known {
		return hidden
	}
	for _, owner := range v.of.stage.policy.Namer().Owners() {
		hidden = hidden || v.of.isSensitive(owner, key) || v.of.becomesContent(owner, key)
	}
	if len(v.hides) >= maxHides {
		clear(v.hides)
	}
	v.hides[key] = hidden
	return hidden
}
