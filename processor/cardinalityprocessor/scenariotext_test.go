// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
)

// The text of metrics in scenarios, which is the same for input and output:
//
//	> counter m of {service.name="s",pid=7} in scope
//	{route="/a",id="7"} 1..10 5
//
// Without a resource and a scope, it is of {service.name="s"}. "gauge m copying n" is a copy of n. A number with a point is a double. Exemplars follow a
// number: 5; 1{user="a"}; 2{}. Quantiles follow a summary, as their number: count 3, sum 30, quantiles 1.

// kindNames are the words for the types of metrics.
var kindNames = map[string]kindOfMetric{
	"gauge":           {kind: pmetric.MetricTypeGauge},
	"delta":           {kind: pmetric.MetricTypeSum, temporality: pmetric.AggregationTemporalityDelta, monotonic: true},
	"counter":         {kind: pmetric.MetricTypeSum, temporality: pmetric.AggregationTemporalityCumulative, monotonic: true},
	"updown":          {kind: pmetric.MetricTypeSum, temporality: pmetric.AggregationTemporalityCumulative},
	"unspecified":     {kind: pmetric.MetricTypeSum, monotonic: true},
	"histogram":       {kind: pmetric.MetricTypeHistogram, temporality: pmetric.AggregationTemporalityCumulative},
	"delta-histogram": {kind: pmetric.MetricTypeHistogram, temporality: pmetric.AggregationTemporalityDelta},
	"summary":         {kind: pmetric.MetricTypeSummary},
}

// defaultResource is the resource of metrics without one in the text.
const defaultResource = `{service.name="s"}`

// overflowWriter matches the random name of the writer of an overflow series.
var overflowWriter = regexp.MustCompile(`"overflow-[0-9a-f]{16}"`)

// addMetric adds a metric to the batch, by the text after ">". It begins one if there is none. Metrics of one
// resource follow each other in one scope.
func (s *player) addMetric(text string) {
	if s.batch == nil {
		md := pmetric.NewMetrics()
		s.batch = &md
	}
	text, scope, _ := strings.Cut(text, " in ")
	text, resource, ok := strings.Cut(text, " of ")
	if !ok {
		resource = defaultResource
	}
	rm := s.batch.ResourceMetrics().AppendEmpty()
	if err := readAttributes(rm.Resource().Attributes(), resource); err != nil {
		s.t.Fatal(err)
	}
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(scope)
	if n := s.batch.ResourceMetrics().Len(); n > 1 {
		last := s.batch.ResourceMetrics().At(n - 2)
		if last.Resource().Attributes().Equal(rm.Resource().Attributes()) && last.ScopeMetrics().At(0).Scope().Name() == scope {
			s.batch.ResourceMetrics().RemoveIf(func(resource pmetric.ResourceMetrics) bool { return resource == rm })
			sm = last.ScopeMetrics().At(0)
		}
	}
	name, metric, _ := strings.Cut(text, " ")
	kind, ok := kindNames[name]
	if !ok {
		s.t.Fatalf("no such kind: %q", name)
	}
	metric, original, isCopy := strings.Cut(metric, " copying ")
	s.metric = sample{kind: kind}.metric(sm.Metrics().AppendEmpty())
	s.metric.SetName(metric)
	if isCopy {
		s.metric.Metadata().PutStr(naming.CopyOfKey, original)
	}
}

// readAttributes adds the attributes of a text like {route="/a",id=7}.
func readAttributes(to pcommon.Map, text string) error {
	for pair := range strings.SplitSeq(strings.Trim(text, "{}"), ",") {
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		if err := readValue(to.PutEmpty(key), value); err != nil {
			return fmt.Errorf("%s: %w", pair, err)
		}
	}
	return nil
}

func readValue(to pcommon.Value, text string) error {
	if whole, err := strconv.Unquote(text); err == nil {
		to.SetStr(whole)
	} else if digits, ok := strings.CutPrefix(text, "0x"); ok {
		whole, err := hex.DecodeString(digits)
		to.SetEmptyBytes().FromRaw(whole)
		return err
	} else if strings.HasPrefix(text, "[") {
		var all []any
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			return err
		}
		return to.SetEmptySlice().FromRaw(all)
	} else if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		to.SetInt(n)
	} else if v, err := strconv.ParseFloat(text, 64); err == nil {
		to.SetDouble(v)
	} else if b, err := strconv.ParseBool(text); err == nil {
		to.SetBool(b)
	} else if text != "nil" {
		return errors.New("no value")
	}
	return nil
}

// readPoint adds a point to the metric whose points follow.
func (s *player) readPoint(line string) error {
	end := strings.LastIndex(line, "} ")
	attributes, rest := line[:end+1], line[end+2:]
	interval, value, _ := strings.Cut(rest, " ")
	start, now, ok := strings.Cut(interval, "..")
	if !ok {
		return errors.New("no interval")
	}
	var dp pointtype.Point
	var err error
	switch s.metric.Type() {
	case pmetric.MetricTypeHistogram:
		histogram := s.metric.Histogram().DataPoints().AppendEmpty()
		dp, err = histogram, readHistogram(histogram, value)
	case pmetric.MetricTypeSummary:
		summary := s.metric.Summary().DataPoints().AppendEmpty()
		dp = summary
		var count uint64
		var sum float64
		value, quantiles, _ := strings.Cut(value, ", quantiles ")
		_, err = fmt.Sscanf(value, "count %d, sum %g", &count, &sum)
		summary.SetCount(count)
		summary.SetSum(sum)
		for n, _ := strconv.Atoi(quantiles); n > 0; n-- {
			summary.QuantileValues().AppendEmpty().SetQuantile(1 / float64(n))
		}
	default:
		number := numbersOf(s.metric).AppendEmpty()
		read := pcommon.NewValueEmpty()
		var exemplars string
		value, exemplars, _ = strings.Cut(value, "; ")
		if err := readExemplars(number.Exemplars(), exemplars); err != nil {
			return err
		}
		if dp = number; value != "stale" {
			err = readValue(read, value)
		}
		switch read.Type() {
		case pcommon.ValueTypeInt:
			number.SetIntValue(read.Int())
		case pcommon.ValueTypeDouble:
			number.SetDoubleValue(read.Double())
		}
	}
	dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(value == "stale"))
	from, startErr := s.readTime(start)
	to, timeErr := s.readTime(now)
	dp.SetStartTimestamp(from)
	dp.SetTimestamp(to)
	return errors.Join(err, startErr, timeErr, readAttributes(dp.Attributes(), attributes))
}

// readExemplars adds the exemplars of a text like: 1{user="a"}; 2{}.
func readExemplars(to pmetric.ExemplarSlice, text string) error {
	for part := range strings.SplitSeq(text, "; ") {
		value, attributes, ok := strings.Cut(part, "{")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return err
		}
		e := to.AppendEmpty()
		e.SetIntValue(n)
		e.SetTraceID(pcommon.TraceID{byte(n)})
		if err := readAttributes(e.FilteredAttributes(), attributes); err != nil {
			return err
		}
	}
	return nil
}

// readTime returns the time of a number of seconds. No text is no time.
func (s *player) readTime(text string) (pcommon.Timestamp, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text + "s")
	return pcommon.NewTimestampFromTime(s.p.store.Started.Add(d)), err
}

// readHistogram sets a histogram by a text like: count 3, le 1 2, sum 4.
func readHistogram(to pmetric.HistogramDataPoint, text string) error {
	if text == "stale" {
		return nil
	}
	below := uint64(0)
	for part := range strings.SplitSeq(text, ", ") {
		words := strings.Fields(part)
		value, err := strconv.ParseFloat(words[len(words)-1], 64)
		if err != nil {
			return err
		}
		switch words[0] {
		case "count":
			to.SetCount(uint64(value))
		case "sum":
			to.SetSum(value)
		default:
			bound, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				return err
			}
			to.ExplicitBounds().Append(bound)
			to.BucketCounts().Append(uint64(value) - below)
			below = uint64(value)
		}
	}
	to.BucketCounts().Append(to.Count() - below)
	return nil
}

// metricsText returns metrics as text. Points of one metric in several places are together.
func (r *rig) metricsText(mark string, md pmetric.Metrics) string {
	var text strings.Builder
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				text.WriteString(mark + " " + kindName(m) + " " + m.Name())
				if original, ok := m.Metadata().Get(naming.CopyOfKey); ok {
					text.WriteString(" copying " + original.Str())
				}
				if resource := mapText(rm.Resource().Attributes()); resource != defaultResource {
					text.WriteString(" of " + overflowWriter.ReplaceAllString(resource, `"overflow-…"`))
				}
				if scope := sm.Scope().Name(); scope != "" {
					text.WriteString(" in " + scope)
				}
				text.WriteString("\n" + r.pointsText(m))
			}
		}
	}
	return text.String()
}

func kindName(m pmetric.Metric) string {
	kind := kindOfMetric{kind: m.Type()}
	switch m.Type() {
	case pmetric.MetricTypeSum:
		kind.temporality, kind.monotonic = m.Sum().AggregationTemporality(), m.Sum().IsMonotonic()
	case pmetric.MetricTypeHistogram:
		kind.temporality = m.Histogram().AggregationTemporality()
	}
	for name, known := range kindNames {
		if known == kind {
			return name
		}
	}
	return m.Type().String()
}

// pointsText returns a line for each point of a metric.
func (r *rig) pointsText(m pmetric.Metric) string {
	var text strings.Builder
	add := func(dp pointtype.Point, value string) {
		if dp.Flags().NoRecordedValue() {
			value = "stale"
		}
		fmt.Fprintf(&text, "%s %s..%s %s\n", mapText(dp.Attributes()), r.seconds(dp.StartTimestamp()), r.seconds(dp.Timestamp()), value)
	}
	switch m.Type() {
	case pmetric.MetricTypeSum, pmetric.MetricTypeGauge:
		for _, dp := range numbersOf(m).All() {
			value := strconv.FormatInt(dp.IntValue(), 10)
			if dp.ValueType() == pmetric.NumberDataPointValueTypeDouble {
				value = doubleText(dp.DoubleValue())
			}
			for _, e := range dp.Exemplars().All() {
				if e.TraceID() != (pcommon.TraceID{byte(e.IntValue())}) {
					value += "; an exemplar without its trace"
				}
				value += fmt.Sprint("; ", e.IntValue(), mapText(e.FilteredAttributes()))
			}
			add(dp, value)
		}
	case pmetric.MetricTypeHistogram:
		for _, dp := range m.Histogram().DataPoints().All() {
			value := fmt.Sprint("count ", dp.Count())
			below := uint64(0)
			for i, bound := range dp.ExplicitBounds().All() {
				below += dp.BucketCounts().At(i)
				value += fmt.Sprint(", le ", bound, " ", below)
			}
			add(dp, value+fmt.Sprint(", sum ", dp.Sum()))
		}
	case pmetric.MetricTypeSummary:
		for _, dp := range m.Summary().DataPoints().All() {
			value := fmt.Sprint("count ", dp.Count(), ", sum ", dp.Sum())
			if n := dp.QuantileValues().Len(); n > 0 {
				value += fmt.Sprint(", quantiles ", n)
			}
			add(dp, value)
		}
	}
	return text.String()
}

// mapText returns attributes as text, in which the types of values differ.
func mapText(attributes pcommon.Map) string {
	raw := attributes.AsRaw()
	var all []string
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		value := "nil"
		switch v := raw[key].(type) {
		case nil:
		case float64:
			value = doubleText(v)
		case []byte:
			value = fmt.Sprintf("%#x", v)
		case []any:
			value = fmt.Sprint(v)
		default:
			value = fmt.Sprintf("%#v", v)
		}
		all = append(all, key+"="+value)
	}
	return "{" + strings.Join(all, ",") + "}"
}

// doubleText returns a number as text that differs from that of an integer.
func doubleText(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".eIN") {
		text += ".0"
	}
	return text
}
