package main

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
)

// merged are how many series of a request become one without their ids.
var merged = map[variant]int{fourToOne: 4, oneToOne: 1}

// newSeriesLoad is a request of which each point is of another series. With fourToOne four at
// a time differ in nothing but ids; with oneToOne there are none.
func newSeriesLoad(attributes int, v variant) (otlpLoad, error) {
	l := metricLoad(attributes)
	l.variant = v
	var err error
	l.request, err = pmetricotlp.NewExportRequestFromMetrics(newSeries(attributes, itemsPerRequest, merged[v])).MarshalProto()
	return l, err
}

// newSeries spreads groups of points over the metrics. Those of a group are apart from each
// other, as they are in the maps of SDKs.
func newSeries(attributes, items, members int) pmetric.Metrics {
	groups := items / members
	telling := func(n int) string { return fmt.Sprintf("node-%04d", n%groups) }
	return seriesOf(attributes, items, groups, seriesSources(groups, members > 1, telling))
}

// newMarkedSeries are other series in each request, by marks (marks.go).
func newMarkedSeries(attributes, items int) pmetric.Metrics {
	telling := func(n int) string { return keyText(mark(n)) }
	return seriesOf(attributes, items, items, seriesSources(items, false, telling))
}

func seriesOf(attributes, items, groups int, sources []source) pmetric.Metrics {
	md := pmetric.NewMetrics()
	var all []pmetric.NumberDataPointSlice
	for _, src := range sources {
		all = append(all, src.appendMetrics(md)...)
	}
	for n := range items {
		metric := n % groups % len(all)
		point := all[metric].AppendEmpty()
		point.SetStartTimestamp(started)
		point.SetTimestamp(ended)
		point.SetIntValue(int64(n))
		sources[metric/len(sources[0].items)].fill(point.Attributes(), attributes, n)
	}
	return md
}

// seriesSources are those of metrics with one attribute that tells groups apart, and with ids
// only if there are to be any.
func seriesSources(groups int, ids bool, telling func(n int) string) (all []source) {
	tells := map[string]string{"global-store": "node", "tuft": "server.address", "fastdeploy": "host_id"}
	for _, src := range metricSources {
		attributes := append([]attribute(nil), src.attributes...)
		for i, a := range attributes {
			switch {
			case a.key == tells[src.service]:
				attributes[i].value = telling
			case a.key == "address" && ids:
				attributes[i].value = func(n int) string { return fmt.Sprintf("ipc:///dev/shm/router-%04d.ipc", n/groups) }
			case (a.key == "address" || a.value == anID) && !ids:
				attributes[i] = attribute{fmt.Sprint("k8s.label.", i), "serving"}
			}
		}
		src.attributes = attributes
		all = append(all, src)
	}
	return all
}
