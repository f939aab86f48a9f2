// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// hostile are parts of names that would be something else in YAML, in a comment or in a glob.
var hostile = []string{
	"a", "shop", "Orders", ".", "_", ":", "/", "-", "*", "?", "{", "}", "[", "]", ",", "#", " # ", ": ", "- ", "&a", "*a", "!!binary", "|", ">", "%", "@", "`",
	"\"", "'", "\\", "\n", "\r\n", "\n  owns: {all: true}\n", "\t", "\x00", "\x1b[31m", "\x7f", "\u0085", "\u2028", "\u202e", "\ufeff", "\ufffd", "\ufffe", "\U0010ffff", "\u00a0",
	"处理", "größe", "e\u0301", "true", "null", "yes", "1e5", "0x10", "~", "<<", "...", "---", "${env:HOME}", "$$", "{key}", "tc_", "tc.", "\xff\xfe", "1", "2026-01-02",
}

// randomName returns a name of random parts, sometimes a very long one.
func randomName(rng *rand.Rand) string {
	if rng.IntN(3) == 0 { // names of one program have something in common
		return "shop." + []string{"orders", "order.items", "queueLength", "heap_bytes", "x"}[rng.IntN(5)]
	}
	parts := make([]string, rng.IntN(6))
	for i := range parts {
		parts[i] = hostile[rng.IntN(len(hostile))]
	}
	name := strings.Join(parts, "")
	if rng.IntN(10) == 0 {
		name = strings.Repeat(name+"x", 300)
	}
	return strings.ToValidUTF8(naming.Beginning(name, 256), "\ufffd")
}

// randomReport returns a report of a service of hostile telemetry. Suggestions are those of naming.
func randomReport(rng *rand.Rand, service string) *conformance.Report {
	r := &conformance.Report{Prefix: []string{"tc_", "acme_"}[rng.IntN(2)], Services: []conformance.Service{{Name: service}}}
	namer := naming.New(nil, naming.Options{Prefix: r.Prefix, Unowned: naming.RepairAll})
	for range rng.IntN(12) {
		name := randomName(rng)
		add := func(signal, rule, suggestion string) {
			f := conformance.Finding{Service: service, Signal: signal, Rule: rule, Original: name, Suggestion: suggestion}
			if rng.IntN(2) == 0 {
				f.Rule, f.Naming = "renamed", rule
			}
			r.Findings = append(r.Findings, f)
		}
		switch rng.IntN(4) {
		case 0, 1:
			d := namer.Metric(nil, name)
			add("metrics", d.Rule.String(), d.Name)
			fallthrough
		case 2:
			d := namer.Span(naming.Context{Service: service}, naming.Facts{}, name)
			add("traces", d.Rule.String(), d.Name)
		case 3:
			add("attributes", "attribute_form", randomName(rng))
			name += "|" // no other finding has it
			add("metrics", "metric_general", randomName(rng))
		}
		m := conformance.Metric{Service: service, Name: name, Type: []string{"gauge", "counter", ""}[rng.IntN(3)], Unit: []string{"bytes", "seconds", randomName(rng)}[rng.IntN(3)], Merged: rng.IntN(3)}
		if d := namer.Metric(nil, name); rng.IntN(2) == 0 {
			m.Name = d.Name
		}
		for range rng.IntN(4) {
			m.Attributes = append(m.Attributes, conformance.MetricAttribute{Key: randomName(rng), Values: rng.IntN(1000), ID: []string{"", conformance.IDByPack, conformance.IDSuspected}[rng.IntN(3)]})
		}
		r.Metrics = append(r.Metrics, m)
	}
	for range rng.IntN(3) {
		r.LogSources = append(r.LogSources, conformance.LogSource{Service: service, Name: randomName(rng), Records: 10, NoFormat: rng.Int64N(3), Shape: randomName(rng)})
	}
	return r
}

// checkPack checks that a draft is accepted, that it owns the service, and that it gives metrics the names that
// the report has.
func checkPack(t *testing.T, r *conformance.Report, service string) {
	t.Helper()
	text, err := Pack(r, service)
	if err != nil { // no name and no metric selects the service
		require.ErrorContains(t, err, "service: ")
		return
	}
	pack, err := conventions.Parse("draft.yaml", []byte(text))
	require.NoError(t, err, "%q\n%s", service, text)
	require.False(t, pack.Owns.All)
	namer := naming.New([]*conventions.Pack{pack}, naming.Options{Prefix: r.Prefix})
	owner := namer.Owner(func(key string) (string, bool) { return service, key == "service.name" }, "")
	general := naming.New(nil, naming.Options{Prefix: r.Prefix, Unowned: naming.RepairAll})
	for _, f := range r.Findings {
		// Random suggestions are those of nobody.
		if f.Signal == "metrics" && f.Suggestion == general.Metric(nil, f.Original).Name && owner != nil && paste.Whole(f.Original) {
			require.Equal(t, f.Suggestion, namer.Metric(owner, f.Original).Name, text)
		}
	}
	if service != unknown && !strings.Contains(text, "owns:\n  #") {
		require.NotNil(t, owner, "%q\n%s", service, text)
	}
}

// TestDraftsAreAccepted checks drafts of random reports with hostile names.
func TestDraftsAreAccepted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		service := randomName(rng)
		if rng.IntN(10) == 0 || service == "" {
			service = unknown
		}
		checkPack(t, randomReport(rng, service), service)
	}
}
