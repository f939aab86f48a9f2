// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// shop returns the report of testdata/shop.json, of a service with something of everything.
func shop(t *testing.T) *conformance.Report {
	t.Helper()
	text, err := os.ReadFile("testdata/shop.json")
	require.NoError(t, err)
	var r conformance.Report
	require.NoError(t, json.Unmarshal(text, &r))
	return &r
}

func TestPack(t *testing.T) {
	text, err := Pack(shop(t), "shop")
	require.NoError(t, err)
	testfiles.Golden(t, "testdata/shop.yaml", text)

	pack, err := conventions.Parse("shop.yaml", []byte(text))
	require.NoError(t, err)
	namer := naming.New([]*conventions.Pack{pack}, naming.Options{Prefix: "tc_"})
	owner := namer.Owner(func(key string) (string, bool) { return "shop", key == "service.name" }, "")
	require.NotNil(t, owner)
	assert.Equal(t, "tc_shop_orders", namer.Metric(owner, "shop.orders").Name)
	_, id := namer.Series(owner, "shop.orders", "tc_shop_orders").ID("order.id")
	assert.True(t, id)
}

func TestErrors(t *testing.T) {
	r := shop(t)
	r.Services = append(r.Services, conformance.Service{Name: "other"}, conformance.Service{Name: "unknown"})
	for service, want := range map[string]string{
		"nobody": `service: the report has no service "nobody"`, "other": "service: other stands for several services", "unknown": "service: nothing in the report selects",
	} {
		_, err := Pack(r, service)
		assert.ErrorContains(t, err, want)
	}
}

// A name with a star is not written as one that selects other services.
func TestPackOwnsNoOtherService(t *testing.T) {
	for _, service := range []string{"*", "shop*", "\ufffd"} {
		r := shop(t)
		r.Services = append(r.Services, conformance.Service{Name: service})
		_, err := Pack(r, service)
		require.ErrorContains(t, err, "service: nothing in the report selects", service)
		for i := range r.Findings {
			r.Findings[i].Service = service
		}
		text, err := Pack(r, service)
		require.NoError(t, err)
		pack, err := conventions.Parse("p.yaml", []byte(text))
		require.NoError(t, err)
		assert.Empty(t, pack.Owns.Resource, text)
	}
}

func TestSystem(t *testing.T) {
	for service, want := range map[string]string{
		"shop": "shop", "Shop-API v2": "shop_api_v2", "7-eleven": "service_7_eleven", "größe": "gr_e", "处理": "service", "tuft": "tuft_draft", "none": "none_draft", "builtin": "builtin_draft",
	} {
		assert.Equal(t, want, system(service))
	}
}

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
