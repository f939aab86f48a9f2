package conformanceconnector

import (
	"encoding/json"
	"net/http"
)

const apiPath = "/api/v1/"

// part is what one path of the API answers with.
type part func(*Report) any

// parts are the paths of the API: the report, and each list of it.
var parts = map[string]part{
	"report":       func(r *Report) any { return r },
	"services":     func(r *Report) any { return r.Services },
	"metrics":      func(r *Report) any { return r.Metrics },
	"findings":     func(r *Report) any { return r.Findings },
	"counts":       func(r *Report) any { return r.Counts },
	"expectations": func(r *Report) any { return r.Expectations },
	"components":   func(r *Report) any { return r.Components },
	"ways":         func(r *Report) any { return r.Ways },
	"skews":        func(r *Report) any { return r.Skews },
	"log_sources":  func(r *Report) any { return r.LogSources },
	"links":        func(r *Report) any { return r.Links },
	"limits":       func(r *Report) any { return r.Limits },
}

func (p part) serve(last func() *Report) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body, err := json.Marshal(p(last()))
		if err != nil { // of values that JSON cannot say, which a report has none of
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(body) //nolint:errcheck // the browser went away
	})
}
