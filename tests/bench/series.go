package main

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// newMarkedSeries returns metrics. Each point is a series of its own. The marks
// (marks.go) make them other series in each request.
func newMarkedSeries(attributes, items int) pmetric.Metrics {
	md := pmetric.NewMetrics()
	var all []pmetric.NumberDataPointSlice
	sources := seriesSources()
	for _, src := range sources {
		all = append(all, src.appendMetrics(md)...)
	}
	for n := range items {
		metric := n % len(all)
		point := all[metric].AppendEmpty()
		point.SetStartTimestamp(started)
		point.SetTimestamp(ended)
		point.SetIntValue(int64(n))
		sources[metric/len(sources[0].items)].fill(point.Attributes(), attributes, n)
	}
	return md
}

// seriesSources returns the sources of metrics with a marked attribute that tells series
// apart, and without ids.
func seriesSources() (all []source) {
	tells := map[string]string{"global-store": "node", "tuft": "server.address", "fastdeploy": "host_id"}
	for _, src := range metricSources {
		attributes := append([]attribute(nil), src.attributes...)
		for i, a := range attributes {
			switch {
			case a.key == tells[src.service]:
				attributes[i].value = func(n int) string { return keyText(mark(n)) }
			case a.key == "address" || a.value == anID:
				attributes[i] = attribute{fmt.Sprint("k8s.label.", i), "serving"}
			}
		}
		src.attributes = attributes
		all = append(all, src)
	}
	return all
}
