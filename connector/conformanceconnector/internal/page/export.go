// SPDX-License-Identifier: Apache-2.0

package page

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// exports are the paths of the API that serve a list for spreadsheets, and the rows of each. The query of a
// request selects the rows.
var exports = map[string]func(*report.Report, func(name string) string) [][]string{
	"findings.csv": findingRows,
	"explorer.csv": explorerRows,
}

// writeExport writes rows as CSV.
func writeExport(w http.ResponseWriter, name string, rows [][]string) {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	writeCSV(w, rows)
}

func writeCSV(to io.Writer, rows [][]string) {
	w := csv.NewWriter(to)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = inert(cell)
		}
		w.Write(row) //nolint:errcheck // the client disconnected
	}
	w.Flush()
}

// formula matches where a spreadsheet may see the beginning of a formula: of a cell, and behind what some
// spreadsheets, by their language, split cells at.
var formula = regexp.MustCompile(`(^|[;\t\r\n])([=+\-@\t\r\n])`)

// inert returns a cell that no spreadsheet takes for a formula. Names come from telemetry.
func inert(cell string) string { return formula.ReplaceAllString(cell, "$1'$2") }

// findingFields are the indexes of a finding's fields by their names in JSON, in the same order.
var findingFields, findingNames = func() (indexes []int, names []string) {
	for field := range reflect.TypeFor[conformance.Finding]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		indexes, names = append(indexes, field.Index[0]), append(names, name)
	}
	return indexes, names
}()

// findingRows has a column for each field of a finding.
func findingRows(r *report.Report, query func(string) string) [][]string {
	matches := func(name, value string) bool { return query(name) == "" || query(name) == value }
	rows := [][]string{slices.Clone(findingNames)}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !matches("service", f.Service) || !matches("rule", f.Rule) || !matches("level", f.Level) || !matches("signal", f.Signal) {
			continue
		}
		var row []string
		for _, index := range findingFields {
			row = append(row, cellOf(reflect.ValueOf(f).Elem().Field(index).Interface()))
		}
		rows = append(rows, row)
	}
	return rows
}

// cellOf returns text as it is, times as in JSON, and anything else as its JSON.
func cellOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case time.Time:
		return v.Format(time.RFC3339)
	}
	text, err := json.Marshal(value)
	if err != nil { // a value that JSON cannot represent, which a report never has
		panic(err)
	}
	return string(text)
}

var explorerColumns = []string{
	"service", "metric", "processor", "limit", "series_in", "series_out", "points_in", "points_out", "bytes_in", "bytes_out",
	"folded", "attribute", "values", "exact", "removed", "series_without", "fix", "fix_series", "fix_yaml",
}

// explorerRows has a row for each attribute of each metric, with the fix that leaves the fewest series.
func explorerRows(r *report.Report, query func(string) string) [][]string {
	service, rule := query("service"), query("rule")
	rows := [][]string{slices.Clone(explorerColumns)}
	for i := range r.Explorer.Metrics {
		m := &r.Explorer.Metrics[i]
		if service != "" && m.Service != service || rule != "" && m.Folded[rule] == 0 {
			continue
		}
		metric := []string{
			m.Service, m.Name, m.Processor, strconv.Itoa(m.Limit), strconv.Itoa(m.In.Series), strconv.Itoa(m.Out.Series),
			cellOf(m.In.Points), cellOf(m.Out.Points), cellOf(m.In.Bytes), cellOf(m.Out.Bytes), folded(m.Folded),
		}
		for _, a := range m.Attributes {
			row := append(slices.Clone(metric), a.Key, strconv.Itoa(a.Values), strconv.FormatBool(a.Exact), a.Removed, strconv.Itoa(a.Without))
			if len(a.Fixes) > 0 {
				row = append(row, a.Fixes[0].Kind, strconv.Itoa(a.Fixes[0].Series), a.Fixes[0].YAML)
			}
			rows = append(rows, filled(row))
		}
		if len(m.Attributes) == 0 {
			rows = append(rows, filled(metric))
		}
	}
	return rows
}

// folded returns the number of series by rule, as text.
func folded(by map[string]int) string {
	var all []string
	for _, rule := range slices.Sorted(maps.Keys(by)) {
		all = append(all, fmt.Sprintf("%s: %d", rule, by[rule]))
	}
	return strings.Join(all, ", ")
}

// filled returns a row with a cell in each column.
func filled(row []string) []string {
	return append(row, make([]string, len(explorerColumns)-len(row))...)
}
