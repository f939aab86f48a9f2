// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/otlptranslator"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Count is the number of series of a metric.
type Count struct {
	Now   int `json:"now"`
	After int `json:"after"` // without what is free
	// AtMost reports whether After is an upper bound: the conformance page knows each attribute on its own.
	AtMost bool `json:"at_most,omitempty"`
}

// known is a metric that exists.
type known struct {
	name, typeName string
	samples        []string
	keys           map[string]string // of its attributes, by label
	now            int
	// after returns the series that remain without labels.
	after  func(free map[string]bool) int
	atMost bool
}

// count returns the series now and without labels.
func (k *known) count(free map[string]bool) *Count {
	if len(free) == 0 {
		return &Count{Now: k.now, After: k.now}
	}
	return &Count{Now: k.now, After: min(k.now, k.after(free)), AtMost: k.atMost}
}

// recent is how old the newest sample of a series in a Prometheus may be.
const recent = 5 * time.Minute

// maxAnswer is the size of the largest answer of a server, in bytes.
const maxAnswer = 256 << 20

// live reads which series there are: of the conformance page, of a Prometheus, or of a page of metrics. Read has the
// names of samples that are read.
func live(ctx context.Context, from string, read map[string][]*use) ([]*known, error) {
	if strings.Contains(from, "://") {
		if text, err := cli.Answer(ctx, api(from, "report"), "", maxAnswer); err == nil {
			return fromReport(api(from, "report"), text)
		}
		if text, err := cli.Answer(ctx, api(from, "metadata"), "", maxAnswer); err == nil {
			return fromServer(ctx, from, text, read)
		}
	}
	text, err := cli.Text(ctx, from, maxAnswer)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return fromReport(from, text)
	}
	return fromPage(text)
}

// decode reads JSON. Its errors name the place of another text, and what it must be.
func decode(from, want string, text []byte, to any) error {
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: must be %s in JSON (got %.80q): %w", from, want, text, err)
	}
	return nil
}

// api returns the URL of a part of a server's API.
func api(server, part string) string { return strings.TrimSuffix(server, "/") + "/api/v1/" + part }

// fromReport reads the conformance page's report.
func fromReport(from string, text []byte) ([]*known, error) {
	var report conformance.Report
	if err := decode(from, "a report of the conformance page", text, &report); err != nil {
		return nil, err
	}
	if !report.Explorer.Shared && len(report.Metrics) == 0 {
		return nil, errors.New("the report has no series: use cardinality and conformance with the conventions extension")
	}
	byName := map[string]*known{}
	metric := func(m conformance.Metric) *known {
		if byName[m.Name] == nil {
			byName[m.Name] = &known{name: m.Name, typeName: m.Type, samples: samplesOf(m), keys: map[string]string{}, atMost: true}
		}
		return byName[m.Name]
	}
	for _, m := range report.Metrics {
		k := metric(m)
		for _, attribute := range m.Attributes {
			k.keys[promql.LabelName(attribute.Key)] = attribute.Key
		}
	}
	costs := map[string][]*conformance.Cost{}
	for i := range report.Explorer.Metrics {
		cost := &report.Explorer.Metrics[i]
		k := metric(conformance.Metric{Name: cost.Name})
		k.now += cost.Out.Series
		costs[cost.Name] = append(costs[cost.Name], cost)
		for _, attribute := range cost.Attributes {
			if label := promql.LabelName(attribute.Key); attribute.Removed == "" {
				k.keys[label] = attribute.Key
			} else {
				delete(k.keys, label)
			}
		}
	}
	for name, k := range byName {
		k.after = func(free map[string]bool) int { return without(costs[name], free) }
	}
	return sorted(byName), nil
}

// without returns the most series that remain without attributes.
func without(costs []*conformance.Cost, free map[string]bool) (all int) {
	for _, cost := range costs {
		left := cost.Out.Series
		for _, attribute := range cost.Attributes {
			if free[promql.LabelName(attribute.Key)] {
				left = min(left, attribute.Without)
			}
		}
		all += left
	}
	return all
}

// samplesOf returns the names in queries of a metric of the collector. Scraped metrics keep theirs.
func samplesOf(m conformance.Metric) []string {
	types := map[string]otlptranslator.MetricType{
		conformance.TypeGauge: otlptranslator.MetricTypeGauge, conformance.TypeCounter: otlptranslator.MetricTypeMonotonicCounter,
		conformance.TypeUpDownCounter: otlptranslator.MetricTypeNonMonotonicCounter, conformance.TypeHistogram: otlptranslator.MetricTypeHistogram,
		conformance.TypeExponentialHistogram: otlptranslator.MetricTypeExponentialHistogram, conformance.TypeSummary: otlptranslator.MetricTypeSummary,
	}
	names := []string{promql.ScrapedName(m.Name), promql.MetricName(otlptranslator.Metric{Name: m.Name, Unit: m.Unit, Type: types[m.Type]})}
	return parts(Type(strings.TrimPrefix(m.Type, "exponential_")), names...)
}

// parts returns the names of the samples of a metric.
func parts(t Type, names ...string) (all []string) {
	for _, name := range names {
		all = append(all, name)
		switch t {
		case Histogram:
			all = append(all, name+"_bucket", name+"_count", name+"_sum")
		case Summary:
			all = append(all, name+"_count", name+"_sum")
		case Counter:
			all = append(all, strings.TrimSuffix(name, "_total")+"_total")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func sorted(byName map[string]*known) (all []*known) {
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name])
	}
	return all
}

// labelSets are the series of one name.
type labelSets []map[string]string

// after returns the number of series that remain without labels.
func (s labelSets) after(free map[string]bool) int {
	left := map[string]bool{}
	for _, set := range s {
		var key strings.Builder
		for _, label := range slices.Sorted(maps.Keys(set)) {
			if !free[label] {
				key.WriteString(label + "\xff" + set[label] + "\xff")
			}
		}
		left[key.String()] = true
	}
	return len(left)
}

func (s labelSets) known(name, typeName string) *known {
	k := &known{name: name, typeName: typeName, samples: parts(Type(typeName), name), keys: map[string]string{}, now: len(s), after: s.after}
	for _, set := range s {
		for label := range set {
			if !own[label] {
				k.keys[label] = label
			}
		}
	}
	return k
}

// fromPage reads a page of metrics in Prometheus' text format.
func fromPage(text []byte) (all []*known, err error) {
	families, err := cli.Page(text)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		metrics := families[name].GetMetric()
		var sets labelSets
		now, each := 0, 1
		for _, metric := range metrics {
			set := map[string]string{}
			for _, pair := range metric.GetLabel() {
				set[pair.GetName()] = pair.GetValue()
			}
			sets, each = append(sets, set), seriesOf(metric)
			now += each
		}
		k := sets.known(name, strings.ToLower(families[name].GetType().String()))
		k.now, k.after = now, func(free map[string]bool) int { return sets.after(free) * each }
		all = append(all, k)
	}
	return all, nil
}

// seriesOf returns the number of series of a metric of a page.
func seriesOf(metric *dto.Metric) int {
	switch {
	case metric.Histogram != nil:
		buckets := len(metric.GetHistogram().GetBucket())
		return max(buckets, 1) + 2
	case metric.Summary != nil:
		return len(metric.GetSummary().GetQuantile()) + 2
	}
	return 1
}

// fromServer reads the series of a Prometheus server: the labels of what is read, the numbers of everything.
func fromServer(ctx context.Context, server string, metadata []byte, read map[string][]*use) ([]*known, error) {
	var types struct {
		Data map[string][]struct {
			Type string `json:"type"`
		} `json:"data"`
	}
	if err := decode(api(server, "metadata"), answerOfAPI, metadata, &types); err != nil {
		return nil, err
	}
	counts, err := ask[result[model.Vector]](ctx, api(server, "query?query="+url.QueryEscape(`count by (__name__) ({__name__!=""})`)))
	if err != nil {
		return nil, err
	}
	typeOf := func(name string) string {
		if all := types.Data[name]; len(all) > 0 {
			return all[0].Type
		}
		return ""
	}
	byName := map[string]*known{}
	for _, count := range counts.Result {
		sample := string(count.Metric[model.MetricNameLabel])
		name := sample
		for _, suffix := range []string{"_bucket", "_count", "_sum"} {
			if base, ok := strings.CutSuffix(sample, suffix); ok && slices.Contains([]string{"histogram", "summary"}, typeOf(base)) {
				name = base
			}
		}
		typeName := cmp.Or(typeOf(name), typeOf(strings.TrimSuffix(name, "_total")))
		sets := labelSets{}
		if read[sample] != nil {
			since, selector := time.Now().Add(-recent).Unix(), fmt.Sprintf("{__name__=%q}", sample)
			if sets, err = ask[labelSets](ctx, api(server, fmt.Sprintf("series?start=%d&match[]=%s", since, url.QueryEscape(selector)))); err != nil {
				return nil, err
			}
		}
		now := int(count.Value)
		k := sets.known(name, typeName)
		k.now = now
		if len(sets) == 0 {
			k.after = func(map[string]bool) int { return now }
		}
		if before := byName[name]; before != nil {
			maps.Copy(k.keys, before.keys)
			one, other := k.after, before.after
			k.now += before.now
			k.after = func(free map[string]bool) int { return one(free) + other(free) }
		}
		byName[name] = k
	}
	return sorted(byName), nil
}

// answerOfAPI is what a Prometheus answers.
const answerOfAPI = "an answer of Prometheus' API"

// result is the data of a query's answer.
type result[V model.Vector | model.Matrix] struct {
	Result V `json:"result"`
}

// ask returns the data of an answer of Prometheus' API.
func ask[D any](ctx context.Context, from string) (D, error) {
	var answer struct {
		Data D `json:"data"`
	}
	text, err := cli.Answer(ctx, from, "", maxAnswer)
	if err == nil {
		err = decode(from, answerOfAPI, text, &answer)
	}
	return answer.Data, err
}
