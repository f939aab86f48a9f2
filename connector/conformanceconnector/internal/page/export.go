// SPDX-License-Identifier: Apache-2.0

package page

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// export is a list for spreadsheets. The query of a request selects its rows. A row is structs, each of the type that
// is at its place in the first row, which only names the columns.
type export func(r *report.Report, query func(name string) string) [][]any

// exports are the paths of the API that serve a list for spreadsheets.
var exports = map[string]export{"findings.csv": findings, "explorer.csv": costs}

// findings has a row for each finding.
func findings(r *report.Report, query func(string) string) [][]any {
	matches := func(name, value string) bool { return query(name) == "" || query(name) == value }
	rows := [][]any{{conformance.Finding{}}}
	for _, f := range r.Findings {
		if matches("service", f.Service) && matches("rule", f.Rule) && matches("level", f.Level) && matches("signal", f.Signal) {
			rows = append(rows, []any{f})
		}
	}
	return rows
}

// costs has a row for each attribute of each metric, with the fix that leaves the fewest series.
func costs(r *report.Report, query func(string) string) [][]any {
	service, rule := query("service"), query("rule")
	none := conformance.CostAttribute{}
	rows := [][]any{{conformance.Cost{}, none, conformance.Fix{}}}
	for _, m := range r.Explorer.Metrics {
		if service != "" && m.Service != service || rule != "" && m.Folded[rule] == 0 {
			continue
		}
		for _, a := range m.Attributes {
			fix := conformance.Fix{}
			if len(a.Fixes) > 0 {
				fix = a.Fixes[0]
			}
			rows = append(rows, []any{m, a, fix})
		}
		if len(m.Attributes) == 0 {
			rows = append(rows, []any{m, none, conformance.Fix{}})
		}
	}
	return rows
}

// writeExport writes rows as CSV.
func writeExport(to http.ResponseWriter, name string, rows [][]any) {
	h := to.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	w := csv.NewWriter(to)
	for i, row := range rows {
		var line []string
		for _, part := range row {
			eachField(reflect.ValueOf(part), "", func(name string, value any) {
				if i == 0 {
					line = append(line, name)
				} else {
					line = append(line, inert(cellOf(value)))
				}
			})
		}
		w.Write(line) //nolint:errcheck // the client disconnected
	}
	w.Flush()
}

// eachField calls put for each field of a struct and of the structs in it, with its name in JSON. Lists of structs are
// rows of their own.
func eachField(of reflect.Value, prefix string, put func(name string, value any)) {
	for field, value := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		kind := field.Type.Kind()
		switch {
		case name == "-", kind == reflect.Slice && field.Type.Elem().Kind() == reflect.Struct:
		case kind == reflect.Struct && field.Type != reflect.TypeFor[time.Time]():
			eachField(value, prefix+name+"_", put)
		default:
			put(prefix+name, value.Interface())
		}
	}
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

// formula matches where a spreadsheet may see the beginning of a formula: of a cell, and behind what some
// spreadsheets, by their language, split cells at.
var formula = regexp.MustCompile(`(^|[;\t\r\n])([=+\-@\t\r\n])`)

// inert returns a cell that no spreadsheet takes for a formula. Names come from telemetry.
func inert(cell string) string { return formula.ReplaceAllString(cell, "$1'$2") }
