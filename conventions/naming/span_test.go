// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// newNamer returns a Namer whose general rules apply to everybody, unless the options choose.
func newNamer(t testing.TB, opts Options) *Namer {
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	if opts.Prefix == "" {
		opts.Prefix = "tc_"
	}
	if opts.Unowned == (Unowned{}) {
		opts.Unowned = RepairAll
	}
	return New(packs, opts)
}

// source is what determines the owner of a name.
type source struct{ namespace, service, scope string }

func (s source) owner(n *Namer) *System {
	return n.Owner(func(key string) (string, bool) {
		switch key {
		case "service.namespace":
			return s.namespace, s.namespace != ""
		case "service.name":
			return s.service, s.service != ""
		}
		return "", false
	}, s.scope)
}

func (s source) span(n *Namer, rpcService, name string) Decision {
	return n.Span(Context{Owner: s.owner(n), Scope: s.scope, Service: s.service}, Facts{Attribute: rpcService}, name)
}

var (
	daemon      = source{"tensorcast", "store-daemon", "tensorcast.daemon"}
	core        = source{"tensorcast", "store-daemon", "tensorcast.core"}
	globalStore = source{"tensorcast", "global-store", "opentelemetry.instrumentation.grpc"}
	tuft        = source{"", "tuft", "tuft"}
	tangoCPP    = source{"tango", "TestDevice", "tango.cpp"}
	tangoPython = source{"tango", "TestDevice", "tango.python.server"}
	fastdeploy  = source{"", "my-llm", "fastdeploy server"}
	unowned     = source{"", "payment-service", "github.com/shop/payment"}
)

// sources are the sources of testdata/names.yaml.
var sources = map[string]source{
	"daemon": daemon, "core": core, "globalStore": globalStore, "tuft": tuft, "tangoCPP": tangoCPP, "tangoPython": tangoPython,
	"fastdeploy": fastdeploy, "unowned": unowned, "nobody": {}, "fastdeploy_engine": {"", "fastdeploy", ""},
	"unknown_service": {"", "unknown_service:python", "shop.ledger"}, "digit": {"", "3scale", ""},
	"litellm": {"", "assistant", "litellm.integrations.opentelemetry"},
}

// nameCases are those of testdata/names.yaml.
type nameCases struct {
	Spans, Metrics, Prometheus, IDs [][]string
	NoIDs                           [][]string `yaml:"no_ids"`
	Operators                       map[string]string
	Gauges                          map[string]conventions.GaugeAggregate
}

func readNames(t *testing.T) nameCases {
	t.Helper()
	cases := testfiles.Read[nameCases](t, "testdata/names.yaml")
	for _, rows := range [][][]string{cases.Spans, cases.Metrics, cases.Prometheus, cases.IDs, cases.NoIDs} {
		require.NotEmpty(t, rows)
	}
	require.NotEmpty(t, cases.Operators)
	require.NotEmpty(t, cases.Gauges)
	return cases
}

func TestSpanNames(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(from source, attribute, name, want, rule string) {
		t.Helper()
		d := from.span(n, attribute, name)
		assert.Equal(t, want, d.Name, name)
		if rule != "" {
			assert.Equal(t, rule, d.Rule.String(), name)
		}
		again := from.span(n, attribute, d.Name)
		assert.Equal(t, want, again.Name, "a second time: %s", name)
		assert.Contains(t, []Rule{Conformant, Exempt}, again.Rule, "a second time: %s", name)
	}
	cases := readNames(t)
	for _, row := range cases.Spans {
		require.Contains(t, sources, row[0])
		row = append(row, "", "")
		f(sources[row[0]], row[4], row[1], row[2], row[3])
	}
	for operator, want := range cases.Operators {
		for _, parameters := range []string{"", "(const ns::Foo&, int)", "() const"} {
			f(unowned, "", "ns::Foo::"+operator+parameters, "Foo/"+want, SpanCode.String())
			f(unowned, "", "virtual bool ns::Foo<int, std::string>::"+operator+parameters, "Foo/"+want, SpanCode.String())
		}
	}
}

func TestIDs(t *testing.T) {
	f := func(name, rest string, want ...string) {
		t.Helper()
		got, ids := splitIDs(name)
		assert.Equal(t, want, ids, name)
		assert.Equal(t, rest, strings.Join(strings.Fields(got), " "), name)
	}
	for _, id := range []string{"7", "1234", "8f3a", "8f3a-11d2", "7h2kx0q1m9z3", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "10.0.0.1:8080", "0x7f8a9c001200"} {
		f(id, "", id)
	}
	for _, word := range []string{"", "V2", "P2P", "H2D", "cafe", "deadbeef", "command_inout_4", "e2e", "sha256sum", "Charge", "bf16", "a100", "hdim128"} {
		f(word, word)
	}
	f("job_12345_67890", "job", "12345", "67890")
	f("cmpl-7h2kx0q1m9z3", "cmpl", "7h2kx0q1m9z3")
	f("a/b (Req: 8f3a) x", "a/b (Req: ) x", "8f3a")
}

// A route that is a path with values is none.
func TestRoutesWithValues(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(route, name, want string) {
		t.Helper()
		assert.Equal(t, want, unowned.span(n, route, name).Name, route)
	}
	f("/users/{name}", "GET /users/bob", "GET /users/{name}")
	f("/users/bob@example.com", "GET /users/bob@example.com", "PaymentService/GetUsers")
	f("/users/a\x00b", "GET /users/42", "PaymentService/GetUsers")
	f("/users/\xff", "GET /users/42", "PaymentService/GetUsers")
	f("/u/{name}@{domain}", "GET /u/bob@example.com", "GET /u/{name}@{domain}")
	f("/v1/{name=projects/*}", "GET /v1/projects/7", "GET /v1/{name=projects/*}")

	// Nor in a pack's form.
	d := fastdeploy.span(n, "", "GET /users/bob@example.com (Req: cmpl-1)")
	assert.Equal(t, "FastDeploy/Users", d.Name)
	assert.Equal(t, []Attribute{{"http.request.method", "GET"}, {"rid", "cmpl-1"}}, d.Attributes)

	// An ASGI server that knows no route writes the path.
	attributes := func(name string) []Attribute { return unowned.span(n, "", name).Attributes }
	assert.Equal(t, []Attribute{{"http.route", "/users/{id}"}}, attributes("GET /users/{id} http send"))
	assert.Empty(t, attributes("GET /users/4711 http send"))
	assert.Empty(t, attributes("GET /users/bob@example.com http send"))
}

// Long names stay distinct.
func TestLongOperationsStayDistinct(t *testing.T) {
	n := newNamer(t, Options{})
	const long = "findTransactionsByCustomerIdentifierAndBookingDateBetweenOrderByAmount"
	one, other := unowned.span(n, "", long+"Ascending").Name, unowned.span(n, "", long+"Descending").Name
	assert.NotEqual(t, one, other)
	for _, name := range []string{one, other} {
		assert.Regexp(t, `^PaymentService/FindTransactionsByCustomerIdentifierAndBookingDateBetwee[A-P][a-p]{7}$`, name)
		assert.Equal(t, name, unowned.span(n, "", name).Name)
	}
}

// What a pack's rule takes out of a name can be replaced, and a name with more text around it is no name of the pack.
func TestMappedSpan(t *testing.T) {
	n := newNamer(t, Options{})
	hide := func(part string) string {
		if len(part) > 20 {
			return "-"
		}
		return part
	}
	for name, want := range map[string]string{
		"Decode Server Req what does my daughter have": "Decode Server Req -",
		"prefill Req: cmpl-41":                         "prefill Req: cmpl-41",
		"scheduler[TP 3] (host:node-7 | pid:1234)":     "scheduler[TP 3] (host:node-7 | pid:1234)",
		"what does my daughter have (host:a | pid:1)":  "- (host:a | pid:1)",
		"What does the contract say?":                  "",
	} {
		mapped, ok := n.MappedSpan(name, hide)
		assert.Equal(t, want != "", ok, name)
		if ok {
			assert.Equal(t, want, mapped)
		}
	}
}
