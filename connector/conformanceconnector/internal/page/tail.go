// SPDX-License-Identifier: Apache-2.0

package page

import (
	"net/http"
	"strconv"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
)

// writeTail writes the items that components have seen of the service that the request names, after those with
// the number after. The request begins to watch the service, or continues to.
func writeTail(w http.ResponseWriter, r *http.Request, of *report.Report, tail *livetail.Hub) {
	if tail == nil {
		http.Error(w, "The live tail needs the extension conventions in service::extensions, by which components share what they do.", http.StatusNotImplemented)
		return
	}
	// A watch takes a place from others, so that a page elsewhere must not begin one.
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		http.Error(w, "The live tail answers only to its own page, and to programs.", http.StatusForbidden)
		return
	}
	service := r.FormValue("service")
	if of.Service(service) == nil {
		http.Error(w, "service: must be one of the report (got "+strconv.Quote(conformance.Kept(service))+")", http.StatusNotFound)
		return
	}
	after, err := number(r.FormValue("after"))
	if err != nil {
		http.Error(w, "after: must be the number of a pair (got "+strconv.Quote(conformance.Kept(r.FormValue("after")))+")", http.StatusBadRequest)
		return
	}
	answer, err := tail.Poll(service, after)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTooManyRequests)
		return
	}
	writeJSON(w, answer)
}

// number reads a number that can be left out.
func number(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 64)
}
