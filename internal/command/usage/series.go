// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/usage"
)

// recent is how old the newest sample of a series in a Prometheus may be.
const recent = 5 * time.Minute

// maxAnswer is the size of the largest answer of a server, in bytes.
const maxAnswer = 256 << 20

// live reads which series there are: of the conformance page, of a Prometheus, or of a page of metrics.
func live(ctx context.Context, from string, r *usage.Readings) ([]*usage.Known, error) {
	if strings.Contains(from, "://") {
		if text, err := cli.Answer(ctx, api(from, "report"), "", maxAnswer); err == nil {
			return fromReport(api(from, "report"), text)
		}
		if text, err := cli.Answer(ctx, api(from, "metadata"), "", maxAnswer); err == nil {
			return fromServer(ctx, from, text, r)
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

// fromReport reads the conformance page's report.
func fromReport(from string, text []byte) ([]*usage.Known, error) {
	var report conformance.Report
	if err := decode(from, "a report of the conformance page", text, &report); err != nil {
		return nil, err
	}
	return usage.FromReport(&report)
}

// api returns the URL of a part of a server's API.
func api(server, part string) string { return strings.TrimSuffix(server, "/") + "/api/v1/" + part }

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

func (s labelSets) known(name, typeName string) *usage.Known {
	k := &usage.Known{Name: name, Type: typeName, Samples: usage.Parts(usage.Type(typeName), name), Keys: map[string]string{}, Now: len(s), After: s.after}
	for _, set := range s {
		for label := range set {
			k.Keys[label] = label
		}
	}
	return k
}

// fromPage reads a page of metrics in Prometheus' text format.
func fromPage(text []byte) (all []*usage.Known, err error) {
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
		k.Now, k.AtMost = now, k.Type == string(usage.Summary)
		k.After = func(free map[string]bool) int {
			if free[usage.Bound] {
				return sets.after(free) * usage.WithoutBuckets
			}
			return sets.after(free) * each
		}
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
func fromServer(ctx context.Context, server string, metadata []byte, r *usage.Readings) ([]*usage.Known, error) {
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
	byName := map[string]*usage.Known{}
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
		if slices.ContainsFunc(usage.Parts(usage.Type(typeName), name), r.Reads) {
			since, selector := time.Now().Add(-recent).Unix(), fmt.Sprintf("{__name__=%q}", sample)
			if sets, err = ask[labelSets](ctx, api(server, fmt.Sprintf("series?start=%d&match[]=%s", since, url.QueryEscape(selector)))); err != nil {
				return nil, err
			}
		}
		now := int(count.Value)
		k := sets.known(name, typeName)
		k.Now = now
		if len(sets) == 0 {
			k.After = func(map[string]bool) int { return now }
		}
		if before := byName[name]; before != nil {
			maps.Copy(k.Keys, before.Keys)
			one, other := k.After, before.After
			k.Now += before.Now
			k.After = func(free map[string]bool) int { return one(free) + other(free) }
		}
		byName[name] = k
	}
	return usage.Sorted(byName), nil
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
