package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGridMarksHoldTheLines(t *testing.T) {
	f := func(logarithmic bool, want []float64, costs ...float64) {
		t.Helper()
		c := chart{logarithmic: logarithmic, lines: []line{{costs: costs}}}
		require.Equal(t, want, c.gridMarks())
	}
	f(false, []float64{0, 500, 1000, 1500, 2000, 2500}, 1100, 2400)
	f(false, []float64{0, 1000, 2000, 3000, 4000}, 4000)
	f(false, []float64{0, 20, 40, 60, 80, 100}, 99, 1)
	f(true, []float64{1000, 10_000, 100_000}, 1100, 81_000)
}

func TestHeightsAreInsideTheChart(t *testing.T) {
	f := func(logarithmic bool, cost, want float64) {
		t.Helper()
		c := chart{logarithmic: logarithmic}
		require.InDelta(t, want, c.height(cost, []float64{10, 100, 1000}), 1e-9)
	}
	const bottom = chartHeight - below
	f(false, 10, bottom)
	f(false, 1000, top)
	f(false, 505, (top+bottom)/2)
	f(true, 100, (top+bottom)/2)
}

func TestPlotIsXML(t *testing.T) {
	c := chart{title: "known series", sizes: []string{"1 k", "10 k"}}
	c.add("metrics", 1000, 1200)
	c.add("metrics", 1100, 1300)
	require.Equal(t, []line{{"metrics", false, []float64{1000, 1100}}, {"metrics", true, []float64{1200, 1300}}}, c.lines)

	var text strings.Builder
	writePlot(&text, []chart{c, c, c})
	drawn := 0
	for decoder := xml.NewDecoder(strings.NewReader(text.String())); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "g" {
			drawn++
		}
	}
	require.Equal(t, 3, drawn)
	require.Contains(t, text.String(), `viewBox="0 0 720 514"`)
}
