package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
)

// seriesIn are the different series of metrics.
func seriesIn(t *testing.T, md pmetric.Metrics, attributes int) map[string]bool {
	series := map[string]bool{}
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			for _, p := range pointsOf(m).All() {
				require.Equal(t, attributes, p.Attributes().Len())
				series[fmt.Sprint(m.Name(), p.Attributes().AsRaw())] = true
			}
		}
	}
	return series
}

func TestMarkedSeriesComeInTurn(t *testing.T) {
	const cycle, sent = 3, 10
	l, err := newMarkedLoad(cycle)
	require.NoError(t, err)
	body, err := withValues(l.request)
	require.NoError(t, err)
	r := newRequest(body, 1)
	r.cycle = l.cycle
	series := map[string]bool{}
	last := map[string]int64{}
	for n := range sent {
		decoded := pmetricotlp.NewExportRequest()
		require.NoError(t, decoded.UnmarshalProto(r.next()))
		for key := range seriesIn(t, decoded.Metrics(), growAttributes) {
			series[key] = true
		}
		require.Len(t, series, seriesItems*min(n+1, cycle))
		for _, rm := range decoded.Metrics().ResourceMetrics().All() {
			for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
				for _, p := range pointsOf(m).All() {
					key := fmt.Sprint(m.Name(), p.Attributes().AsRaw())
					require.Greater(t, p.IntValue(), last[key], key)
					require.Less(t, p.IntValue(), int64(seriesItems+sent+1))
					last[key] = p.IntValue()
				}
			}
		}
	}
}
