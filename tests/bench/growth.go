package main

import (
	"context"
	"fmt"
	"io"

	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
)

// growth is how the cost of an item goes as something grows.
type growth struct {
	title string
	steps []step
	// logarithmic is the chart's scale of costs.
	logarithmic bool
}

// step is the work at one size.
type step struct {
	size   string
	trials []trial // one of each signal: stock pass-through and ours
}

// growAttributes each item has, where something else grows.
const growAttributes = 10

// What grows. A larger state is a larger heap, which makes collections rarer, so what grows the
// state is measured with the same room for garbage as well.
var growths = []func() (growth, error){
	func() (growth, error) { return growSeries("known series", stockDefault, asShipped) },
	func() (growth, error) { return growSeries("known series, same room", stockWide, oursWide) },
	func() (growth, error) { return growKeys("live link keys", stockDefault, asShipped) },
	func() (growth, error) { return growKeys("live link keys, same room", stockWide, oursWide) },
	growItems, growBatches, growCores,
}

// seriesItems are few in a request, so that the smallest number of series is a thousand.
const seriesItems = 256

// growSeries sends so many series in turn, of which each goes out as it came: the kind of which
// most has to be remembered.
func growSeries(title string, stock, ours flavour) (growth, error) {
	g := growth{title: title}
	for _, cycle := range []uint64{1, 10, 100, 1000} {
		l, err := newMarkedLoad(cycle)
		if err != nil {
			return g, err
		}
		g.steps = append(g.steps, step{thousands(l.known), []trial{grown(l, stock, ours, config("growth"))}})
	}
	return g, nil
}

// newMarkedLoad is one whose series come again after so many requests of each connection. A
// target knows all of them before it is measured.
func newMarkedLoad(cycle uint64) (l otlpLoad, err error) {
	l = metricLoad(growAttributes)
	l.items, l.cycle, l.known = seriesItems, cycle, int64(cycle*seriesItems*connections)
	l.variant = variant(fmt.Sprint(l.known, " series"))
	l.request, err = pmetricotlp.NewExportRequestFromMetrics(newMarkedSeries(growAttributes, seriesItems)).MarshalProto()
	return l, err
}

// growKeys sends the same keyed spans in turn, so that so many keys live.
func growKeys(title string, stock, ours flavour) (growth, error) {
	g := growth{title: title}
	pairs := uint64(keyedPairs[tenthKeyed])
	for _, cycle := range []uint64{10, 100, 1000, 10_000} {
		l, err := newLinkLoad(growAttributes, tenthKeyed)
		if err != nil {
			return g, err
		}
		keys := int64(cycle * pairs * connections)
		l.cycle, l.known = cycle, int64(cycle*itemsPerRequest*connections)
		l.variant = variant(fmt.Sprint(keys, " live keys"))
		g.steps = append(g.steps, step{thousands(keys), []trial{grown(l, stock, ours, config("growth"))}})
	}
	return g, nil
}

func growItems() (growth, error) {
	g := growth{title: "attributes of an item"}
	for _, attributes := range []int{5, 10, 20, 50} {
		s := step{size: fmt.Sprint(attributes)}
		for _, signal := range allSignals {
			loads, err := enforcedLoads(signal, attributes)
			if err != nil {
				return g, err
			}
			s.trials = append(s.trials, grown(loads[0], stockDefault, asShipped))
		}
		g.steps = append(g.steps, s)
	}
	return g, nil
}

func growBatches() (growth, error) {
	g := growth{title: "items of a request", logarithmic: true}
	for _, items := range []int{1, 8, 64, 512, 8192} {
		s := step{size: fmt.Sprint(items)}
		for _, signal := range allSignals {
			l, err := newLoadOf(signal, growAttributes, items)
			if err != nil {
				return g, err
			}
			l.variant = variant(fmt.Sprint(items, " a request"))
			s.trials = append(s.trials, grown(l, stockDefault, asShipped))
		}
		g.steps = append(g.steps, s)
	}
	return g, nil
}

func growCores() (growth, error) {
	g := growth{title: "cores"}
	for _, cores := range []int{1, 2} {
		s := step{size: fmt.Sprint(cores)}
		for _, signal := range allSignals {
			loads, err := enforcedLoads(signal, growAttributes)
			if err != nil {
				return g, err
			}
			t := grown(loads[0], stockDefault, asShipped)
			for i := range t.pipelines {
				t.pipelines[i].env = []string{fmt.Sprint("GOMAXPROCS=", cores)}
			}
			s.trials = append(s.trials, t)
		}
		g.steps = append(g.steps, s)
	}
	return g, nil
}

// grown compares stock pass-through with all of ours for the load's signal.
func grown(l otlpLoad, stock, ours flavour, more ...string) trial {
	own := oursOf[l.signal]
	all := ours.through(l.signal, own.processors, append(own.configs(), more...)...)
	return trial{l, []pipeline{stock.passThrough(), all}}
}

func thousands(n int64) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%d M", n/1_000_000)
	}
	return fmt.Sprintf("%d k", n/1000)
}

// growthRounds are enough to see a trend, of as many trials.
const growthRounds = 3

const growthHead = `| what grows | to | signal | stock pass-through, ns an item | ours, ns an item | ratio | quartiles | ours, peak RSS MiB |
| --- | ---: | --- | ---: | ---: | ---: | :---: | ---: |
`

// grow measures all of it, and writes a table. It returns what a plot needs.
func (r runner) grow(ctx context.Context, w io.Writer) (charts []chart, err error) {
	r.rounds = min(r.rounds, growthRounds)
	fmt.Fprint(w, growthHead)
	for _, make := range growths {
		g, err := make()
		if err != nil {
			return nil, err
		}
		c := chart{title: g.title, logarithmic: g.logarithmic}
		for _, s := range g.steps {
			c.sizes = append(c.sizes, s.size)
			for _, t := range s.trials {
				made, err := r.compare(ctx, t)
				if err != nil {
					return nil, err
				}
				signal := t.load.(otlpLoad).signal
				stock, ours, ratio := made.each(0, slice.cpuPerItem).median, made.each(1, slice.cpuPerItem).median, made.ratio(1)
				fmt.Fprintf(w, "| %s | %s | %s | %.0f | %.0f | %.2f | %.2f to %.2f | %d |\n",
					g.title, s.size, signal, stock, ours, ratio.median, ratio.lower, ratio.upper, made.memory[1].peak>>20)
				c.add(signal, stock, ours)
			}
		}
		charts = append(charts, c)
	}
	return charts, nil
}
