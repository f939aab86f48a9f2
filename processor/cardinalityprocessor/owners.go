// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"encoding/json"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/owners"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// ownerRules returns texts that identify the rules for owners of a policy, so that counters go on only if what they
// count stays the same.
func ownerRules(p *policy.Policy) map[*conventions.OwnerRule]string {
	texts := map[*conventions.OwnerRule]string{}
	for _, pack := range p.Packs() {
		if rule := pack.Owner; rule != nil {
			text, err := json.Marshal([]any{pack.System, rule.Identity, rule.Attributes, rule.Counters})
			if err != nil {
				panic(err) // strings and numbers can always be encoded
			}
			texts[rule] = string(text)
		}
	}
	return texts
}

// owned is what a batch says about the owners of one resource's devices.
type owned struct {
	path       // of the first metric
	resourceID attrhash.Hash
	id         attrhash.Hash // of the resource and the rule
	rule       *conventions.OwnerRule
	points     []owners.Point
}

// takeOwners takes the owners off the points of a metric. It has a copy of m, so that add allocates nothing.
func (w *walk) takeOwners(m batchMetric, rule *conventions.OwnerRule) {
	names := []string{m.metric.Name()}
	if original, ok := m.metric.Metadata().Get(naming.OriginalNameKey); ok {
		names = append(names, original.Str())
	}
	walkers[m.metric.Type()].takeOwners(&m, w.ownedBy(&m, rule), owners.SourceOf(rule, names...))
}

// ownedBy returns what the batch says about the resource of a metric.
func (w *walk) ownedBy(m *batchMetric, rule *conventions.OwnerRule) *owned {
	last := len(w.owned) - 1
	if last >= 0 && w.owned[last].resource == m.resource && w.owned[last].rule == rule {
		return &w.owned[last]
	}
	id := attrhash.Map(w.tracker.Seed, m.resource.Resource().Attributes()).Text(w.rules.owners[rule])
	if i := slices.IndexFunc(w.owned, func(o owned) bool { return o.id == id }); i >= 0 {
		return &w.owned[i]
	}
	w.owned = append(w.owned, owned{path: m.path, resourceID: m.resourceID, id: id, rule: rule})
	return &w.owned[last+1]
}

// maxOwned is more than any device uses. Sums of smaller values stay finite.
const maxOwned = 1e100

// takeOwners takes the owners off the points. Cumulative points lose their start, too: the stream that had it has ended
// with its owner, and the one without the owner goes on.
func (k walker[S, D, T, M]) takeOwners(m *batchMetric, to *owned, source *owners.Source) {
	all, delta := k.Points(m.metric), m.temporality == series.Delta
	for i := range all.Len() {
		dp := all.At(i)
		head := k.Head(dp)
		p, ok := to.read(dp.Attributes())
		if !ok {
			continue
		}
		p.Time, p.Stale, p.Delta = head.Time, head.Stale, delta
		if number, is := any(dp).(pmetric.NumberDataPoint); is && source != nil {
			var value aggregate.Number
			if value.Read(number) && value.Float() >= 0 && value.Float() < maxOwned {
				p.Source, p.Value = source, value.Float()*source.Factor
			}
		}
		to.points = append(to.points, p)
		if !delta {
			dp.SetStartTimestamp(0)
		}
	}
}

// read reads what attributes say about a device, and removes the owner. It is not ok if nothing identifies the device:
// all of them would be one.
func (o *owned) read(attrs pcommon.Map) (p owners.Point, ok bool) {
	if p.Identity, p.Device, ok = texts(attrs, o.rule.Identity); !ok {
		return p, false
	}
	if values, owner, any := texts(attrs, o.rule.Attributes); any {
		p.OwnerValues, p.Owner = values, owner
	}
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool { return slices.Contains(o.rule.Attributes, key) })
	return p, true
}

// texts returns the values of attributes, and whether there is one that is not empty.
func texts(attrs pcommon.Map, keys []string) (values []string, id attrhash.Hash, any bool) {
	values = make([]string, len(keys))
	for i, key := range keys {
		if value, ok := attrs.Get(key); ok {
			values[i] = value.AsString()
		}
		any = any || values[i] != ""
		id = id.Text(values[i])
	}
	return values, id, any
}

// countOwners counts by owner, and adds the metrics of owners to the batch.
func (w *walk) countOwners(md pmetric.Metrics) {
	for i := range w.metrics {
		if m := &w.metrics[i]; m.owned && !m.moved {
			w.batch.Folded[series.RuleOwner] += int64(walkers[m.metric.Type()].mergeSame(m, w.store.Seed))
		}
	}
	for i := range w.owned {
		o := &w.owned[i]
		samples, sent := w.tracker.Observe(o.id, o.rule, o.points, w.batch.Now)
		w.sentOwners = append(w.sentOwners, sent...)
		if len(samples) > 0 {
			w.addSamples(md, o, samples)
		}
	}
}

// mergeSame removes points that are the same measurement, repeated for each owner, and stale markers of series that go
// on without the owner. It returns their number.
func (k walker[S, D, T, M]) mergeSame(m *batchMetric, seed uint64) (removed int) {
	all := k.Points(m.metric)
	ids, latest := make([]attrhash.Hash, all.Len()), map[attrhash.Hash]pcommon.Timestamp{}
	for i := range ids {
		dp := all.At(i)
		ids[i] = attrhash.Map(seed, dp.Attributes())
		if head := k.Head(dp); !head.Stale {
			latest[ids[i]] = max(latest[ids[i]], head.Time)
		}
	}
	i, seen := -1, map[attrhash.Hash]bool{}
	all.RemoveIf(func(dp D) bool {
		i++
		head := k.Head(dp)
		same := ids[i].Number(uint64(head.Time))
		if value, ok := latest[ids[i]]; seen[same] || ok && head.Stale && head.Time <= value {
			removed++
			return true
		}
		seen[same] = true
		return false
	})
	return removed
}

// addSamples adds the metrics of a resource's owners to the batch.
func (w *walk) addSamples(md pmetric.Metrics, from *owned, samples []owners.Sample) {
	to := batchMetric{path: from.path, resourceIndex: md.ResourceMetrics().Len(), resourceID: from.resourceID}
	to.resource = md.ResourceMetrics().AppendEmpty()
	from.resource.Resource().CopyTo(to.resource.Resource())
	to.resource.SetSchemaUrl(from.resource.SchemaUrl())
	to.scope = to.resource.ScopeMetrics().AppendEmpty()
	from.scope.Scope().CopyTo(to.scope.Scope())
	to.scope.SetSchemaUrl(from.scope.SchemaUrl())
	scope := identity.Scope(w.store.Seed, to.resourceID, to.scope.Scope())
	for number := owners.Info; number < len(from.rule.Counters); number++ {
		if !slices.ContainsFunc(samples, func(s owners.Sample) bool { return s.Metric == number }) {
			continue
		}
		to.metric = to.scope.Metrics().AppendEmpty()
		points := w.emptyOwnerMetric(to.metric, from.rule, number)
		for _, s := range samples {
			if s.Metric == number {
				put(points.AppendEmpty(), from.rule, s)
			}
		}
		w.add(to, scope)
	}
}

// emptyOwnerMetric makes a metric the info metric, or a counter.
func (w *walk) emptyOwnerMetric(m pmetric.Metric, rule *conventions.OwnerRule, number int) pmetric.NumberDataPointSlice {
	name := rule.Info
	if number != owners.Info {
		name = rule.Counters[number].Name
	}
	m.SetName(w.rules.policy.Prefix() + strings.TrimPrefix(name, conventions.MetricPrefix))
	if number == owners.Info {
		return m.SetEmptyGauge().DataPoints()
	}
	m.SetUnit(rule.Counters[number].Unit)
	m.SetEmptySum().SetIsMonotonic(true)
	m.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	return m.Sum().DataPoints()
}

func put(dp pmetric.NumberDataPoint, rule *conventions.OwnerRule, s owners.Sample) {
	dp.SetStartTimestamp(s.Start)
	dp.SetTimestamp(s.Time)
	if s.Stale {
		dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
	} else {
		dp.SetDoubleValue(s.Value)
	}
	putTexts(dp.Attributes(), rule.Identity, s.Identity)
	putTexts(dp.Attributes(), rule.Attributes, s.OwnerValues)
	if s.OwnerValues == nil {
		dp.Attributes().PutBool(identity.OverflowKey, true)
	}
}

// putTexts adds the attributes that are not empty.
func putTexts(attrs pcommon.Map, keys, values []string) {
	for i, value := range values {
		if value != "" {
			attrs.PutStr(keys[i], value)
		}
	}
}
