// Package page keeps what the page shows: of each series the last sample, in families of one
// type, within limits. It knows nothing of data points.
package page

import (
	"strings"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/reason"
)

// Limits bound the page.
type Limits struct {
	Memory int64 // bytes that series take, about
	Text   int64 // bytes of the page
}

// The bounds of what is shown, whatever the limits are.
const (
	maxName       = 1 << 10 // of a metric or a label
	maxSeriesText = 1 << 20
	maxHelp       = 4 << 10
)

// Page is what is shown. Its exported fields and methods need its lock, but for Gather.
type Page struct {
	sync.Mutex
	Pairs *labels.Pairs

	limits     Limits
	expiration time.Duration
	families   map[string]*Family
	targets    map[labels.Key]*Series
	used       cost
	shown      int // series
	hidden     int // series that are remembered and not shown
}

// New returns an empty page. A series is shown until the expiration after its last sample.
func New(limits Limits, expiration time.Duration) *Page {
	return &Page{
		Pairs: labels.NewPairs(), limits: limits, expiration: expiration,
		families: map[string]*Family{}, targets: map[labels.Key]*Series{},
	}
}

// Family is the series of one name, type and help.
type Family struct {
	name, help string
	kind       dto.MetricType
	series     map[labels.Key]*Series
	shown      []*Series
	cost       cost
}

// Family returns the family of a name. The first type and the first help that came stay for as
// long as the family has series.
func (p *Page) Family(name string, kind dto.MetricType, help string) (*Family, reason.Reason) {
	if f, ok := p.families[name]; ok {
		if f.kind != kind {
			return nil, reason.Conflict
		}
		return f, reason.Shown
	}
	if name == "" || len(name) > maxName {
		return nil, reason.Name
	}
	if p.collides(name, kind) {
		return nil, reason.Conflict
	}
	name = strings.Clone(name)
	help = strings.ToValidUTF8(help[:min(len(help), maxHelp)], "")
	help = strings.Clone(help)
	return &Family{
		name: name, help: help, kind: kind, series: map[labels.Key]*Series{},
		cost: familyCost(len(name), len(help)),
	}, reason.Shown
}

// The names of a histogram's or a summary's samples end in these.
const (
	countSuffix  = "_count"
	sumSuffix    = "_sum"
	bucketSuffix = "_bucket"
)

// collides reports whether samples of a new family would have the names of another one's.
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

func (f *Family) has(suffix string) bool {
	for _, own := range samplesOf(f.kind) {
		if own == suffix {
			return true
		}
	}
	return false
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

// Stats are numbers of the page.
type Stats struct {
	Series       int
	Memory, Text int64
}

// Stats returns the numbers of now.
func (p *Page) Stats() Stats { return Stats{Series: p.shown, Memory: p.used.memory, Text: p.used.text} }
