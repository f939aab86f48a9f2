// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

// The bounds of names and texts in bytes, independent of the page's limits.
const (
	maxName       = 1 << 10 // of a metric or a label
	maxSeriesText = 1 << 20
	maxHelp       = 4 << 10
)

// family is a Prometheus metric family: the series of one name, type and help.
type family struct {
	name, help string
	kind       dto.MetricType
	series     map[labels.Key]*series
	shown      []*series
	cost       cost
}

// familyOf returns the family of a point. The first type and help of a name stay for as long as
// the family has series. A new family is added to the page with its first series.
func (p *Page) familyOf(point *Point) (*family, sample.Reason) {
	name := point.Name
	switch f, ok := p.families[name]; {
	case ok && f.kind != point.Kind:
		return nil, sample.Conflict
	case ok:
		return f, sample.Shown
	case name == "" || len(name) > maxName:
		return nil, sample.Name
	case p.collides(name, point.Kind):
		return nil, sample.Conflict
	case p.full():
		return nil, sample.Limit
	}
	// Copy the strings, which share memory with a request.
	name = strings.Clone(name)
	help := strings.Clone(strings.ToValidUTF8(point.Help[:min(len(point.Help), maxHelp)], ""))
	return &family{
		name: name, help: help, kind: point.Kind, series: map[labels.Key]*series{},
		cost: familyCost(len(name), len(help)),
	}, sample.Shown
}

// The suffixes of the samples of histograms and summaries.
const (
	countSuffix  = "_count"
	sumSuffix    = "_sum"
	bucketSuffix = "_bucket"
)

// collides reports whether samples of a new family would have the same names as another
// family's.
func (p *Page) collides(name string, kind dto.MetricType) bool {
	for _, suffix := range samplesOf(kind) {
		if _, ok := p.families[name+suffix]; ok {
			return true
		}
	}
	for _, suffix := range []string{countSuffix, sumSuffix, bucketSuffix} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			if f, ok := p.families[base]; ok && f.has(suffix) {
				return true
			}
		}
	}
	return false
}

func (f *family) has(suffix string) bool {
	return slices.Contains(samplesOf(f.kind), suffix)
}

func samplesOf(kind dto.MetricType) []string {
	switch kind {
	case dto.MetricType_HISTOGRAM:
		return []string{countSuffix, sumSuffix, bucketSuffix}
	case dto.MetricType_SUMMARY:
		return []string{countSuffix, sumSuffix}
	default:
		return nil
	}
}
