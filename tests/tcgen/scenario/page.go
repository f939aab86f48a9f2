// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"
)

// pageDescription is what a system exposes for scraping.
type pageDescription struct {
	// Created says that counters and histograms have `_created` gauges beside them, as prometheus_client's have.
	Created  bool                `yaml:"created"`
	Bounds   []boundsDescription `yaml:"bounds"`
	Families []family            `yaml:"families"`
}

// boundsDescription replaces the bucket bounds of histograms, whose names are separated by spaces.
type boundsDescription struct {
	Bounds []float64 `yaml:"bounds"`
	Names  string    `yaml:"names"`
}

// family describes metric families that differ only by their names, which are separated by spaces under their kind.
type family struct {
	Counter   string `yaml:"counter"`
	Gauge     string `yaml:"gauge"`
	Histogram string `yaml:"histogram"`
	// Info is a gauge that is always 1.
	Info string `yaml:"info"`
	// Help is the name where nothing else is said.
	Help string `yaml:"help"`
	// Labels are names of labels, or "all" for the columns of a set, and the values that they take together. The series
	// have each combination of them.
	Labels map[string]values `yaml:"labels"`
	// IDs are the names of labels whose values are those of the scenario's instances. The name of the value may follow the
	// label's after an equals sign.
	IDs string `yaml:"ids"`
	// Scale is the size of the largest step of a scenario; steps above 1 are whole numbers.
	Scale float64 `yaml:"scale"`
	// Value replaces the step.
	Value *float64 `yaml:"value"`
	// Plain leaves out the `_created` gauge.
	Plain bool `yaml:"plain"`
}

// values are rows of label values, or the name of a set of them.
type values struct {
	set string
	// columns name the values of a row. A family takes those that it has as labels.
	columns []string
	rows    [][]string
}

// UnmarshalYAML reads a list of values, a list of rows, a name, or rows with columns.
func (v *values) UnmarshalYAML(node *yaml.Node) error {
	switch node.Kind {
	case yaml.ScalarNode:
		v.set = node.Value
		return nil
	case yaml.MappingNode:
		var table struct {
			Columns string     `yaml:"columns"`
			Rows    [][]string `yaml:"rows"`
		}
		err := node.Decode(&table)
		v.columns, v.rows = strings.Fields(table.Columns), table.Rows
		return err
	}
	for _, row := range node.Content {
		cells := []*yaml.Node{row}
		if row.Kind == yaml.SequenceNode {
			cells = row.Content
		}
		var texts []string
		for _, cell := range cells {
			texts = append(texts, cell.Value)
		}
		v.rows = append(v.rows, texts)
	}
	return nil
}

// of returns the rows of some columns, each once.
func (v values) of(columns []string) ([][]string, error) {
	if v.columns == nil {
		return v.rows, nil
	}
	var rows [][]string
	known := map[string]bool{}
	for _, row := range v.rows {
		var picked []string
		for _, name := range columns {
			i := slices.Index(v.columns, name)
			if i < 0 {
				return nil, fmt.Errorf("no column %s", name)
			}
			picked = append(picked, row[i])
		}
		if key := strings.Join(picked, "\xff"); !known[key] {
			known[key] = true
			rows = append(rows, picked)
		}
	}
	return rows, nil
}

// page imitates the registry of a process that is scraped.
type page struct {
	registry *prometheus.Registry
	series   []seriesOf
	now      time.Time
}

// seriesOf are the series of one family.
type seriesOf struct {
	family
	feed func(step float64, labels []string)
	// rows are the label values of all scenarios, in the order of the labels' names.
	rows [][]string
	ids  []string
}

func newPage(start time.Time, d pageDescription, sets map[string]values) (*page, error) {
	p := &page{registry: prometheus.NewRegistry(), now: start}
	bounds := map[string][]float64{}
	for _, b := range d.Bounds {
		for _, name := range strings.Fields(b.Names) {
			bounds[name] = b.Bounds
		}
	}
	known := map[string]func(float64, []string){}
	for _, f := range d.Families {
		labels, rows, err := f.series(sets)
		if err != nil {
			return nil, err
		}
		var idLabels, ids []string
		for _, name := range strings.Fields(f.IDs) {
			label, id, renamed := strings.Cut(name, "=")
			if !renamed {
				id = label
			}
			idLabels, ids = append(idLabels, label), append(ids, id)
		}
		for _, name := range strings.Fields(f.Counter + f.Gauge + f.Histogram + f.Info) {
			if known[name] == nil {
				known[name] = p.register(f, name, slices.Concat(labels, idLabels), bounds[name], d.Created)
			}
			p.series = append(p.series, seriesOf{f, known[name], rows, ids})
		}
	}
	return p, nil
}

// series returns the names of the labels that have known values, and these.
func (f family) series(sets map[string]values) (labels []string, rows [][]string, err error) {
	rows = [][]string{{}}
	for _, names := range sortedKeys(f.Labels) {
		v := f.Labels[names]
		if v.set != "" {
			v = sets[v.set]
		}
		columns := strings.Fields(names)
		if names == "all" {
			columns = v.columns
		}
		some, err := v.of(columns)
		if err != nil || len(some) == 0 {
			return nil, nil, fmt.Errorf("%s%s%s%s: values of %s: %w", f.Counter, f.Gauge, f.Histogram, f.Info, names, err)
		}
		labels, rows = append(labels, columns...), combined(rows, some)
	}
	return labels, rows, nil
}

// combined returns the label values of each combination of rows, one of each list.
func combined(heads, tails [][]string) [][]string {
	var longer [][]string
	for _, head := range heads {
		for _, tail := range tails {
			longer = append(longer, slices.Concat(head, tail))
		}
	}
	return longer
}

// register returns what moves a series of a family.
func (p *page) register(f family, name string, labels []string, bounds []float64, created bool) func(float64, []string) {
	help := f.Help
	if help == "" {
		help = name + "."
	}
	stamp := func([]string) {}
	if created && hasCreated(f, name) {
		stamp = p.stamps(strings.TrimSuffix(name, "_total")+"_created", help, labels)
	}
	switch {
	case f.Counter != "":
		counter := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		p.registry.MustRegister(counter)
		return func(step float64, values []string) { counter.WithLabelValues(values...).Add(step); stamp(values) }
	case f.Histogram != "":
		if bounds == nil {
			bounds = f.bounds()
		}
		histogram := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
		p.registry.MustRegister(histogram)
		return func(step float64, values []string) { histogram.WithLabelValues(values...).Observe(step); stamp(values) }
	default:
		gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		p.registry.MustRegister(gauge)
		return func(step float64, values []string) { gauge.WithLabelValues(values...).Set(step) }
	}
}

// stamps returns what notes when a series first appeared.
func (p *page) stamps(name, help string, labels []string) func(values []string) {
	gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	p.registry.MustRegister(gauge)
	seen := map[string]bool{}
	return func(values []string) {
		key := strings.Join(values, "\xff")
		if seen[key] {
			return
		}
		seen[key] = true
		gauge.WithLabelValues(values...).Set(float64(p.now.UnixMilli()) / 1000)
	}
}

// bounds are the client's own for seconds, and 1, 2, 5, 10… for larger values.
func (f family) bounds() []float64 {
	if f.Scale <= 1 {
		return prometheus.DefBuckets
	}
	var bounds []float64
	for decade := 1.0; decade <= f.Scale; decade *= 10 {
		bounds = append(bounds, decade, 2*decade, 5*decade)
	}
	return bounds
}

// hasCreated leaves out gauges and the families of prometheus_client's platform,
// process and gc collectors.
func hasCreated(f family, name string) bool {
	return (f.Counter != "" || f.Histogram != "") && !f.Plain &&
		!strings.HasPrefix(name, "python_") && !strings.HasPrefix(name, "process_")
}

// move gives every series one more observation, at now; those with ids where an instance has them all.
func (p *page) move(now time.Time, rng *rand.Rand, instances []map[string]string) {
	p.now = now
	for _, s := range p.series {
		if len(s.ids) == 0 {
			s.move(rng, nil)
			continue
		}
		for _, instance := range instances {
			var ids []string
			for _, name := range s.ids {
				if id, has := instance[name]; has {
					ids = append(ids, id)
				}
			}
			if len(ids) == len(s.ids) {
				s.move(rng, ids)
			}
		}
	}
}

func (s seriesOf) move(rng *rand.Rand, ids []string) {
	for _, row := range s.rows {
		step := between(rng, 0, s.Scale)
		if s.Scale > 1 {
			step = math.Ceil(step)
		}
		if s.Value != nil {
			step = *s.Value
		}
		if s.Info != "" {
			step = 1
		}
		s.feed(step, slices.Concat(row, ids))
	}
}

// numbered returns one value for each number from 0, by a format with %d.
func numbered(format string, count int) []string {
	var numbers []string
	for i := range count {
		numbers = append(numbers, fmt.Sprintf(format, i))
	}
	return numbers
}

func linearBounds(start, width float64, count int) string {
	return quote(prometheus.LinearBuckets(start, width, count))
}

func exponentialBounds(start, factor float64, count int) string {
	return quote(prometheus.ExponentialBuckets(start, factor, count))
}
