// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
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
	fastdeploy  = source{"", "my-llm", "trace"}
	unowned     = source{"", "payment-service", "github.com/shop/payment"}
)

func TestSpanNames(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(from source, rpcService, name, want string, rule Rule) {
		t.Helper()
		d := from.span(n, rpcService, name)
		assert.Equal(t, want, d.Name, name)
		assert.Equal(t, rule, d.Rule, name)
		again := from.span(n, rpcService, d.Name)
		assert.Equal(t, want, again.Name, "a second time: %s", name)
		assert.Contains(t, []Rule{Conformant, Exempt}, again.Rule, "a second time: %s", name)
	}

	// TensorCast.
	f(daemon, "tensorcast.daemon.v2.StoreDaemonService", "MaterializeReplicaV2", "StoreDaemon/MaterializeReplicaV2", SpanRPC)
	f(daemon, "", "DeregisterArtifact", "StoreDaemon/DeregisterArtifact", SpanCode)
	f(daemon, "", "StoreDaemon/MaterializeReplica", "StoreDaemon/MaterializeReplica", Conformant)
	f(globalStore, "tensorcast.global_store.v1.ClusterAdminService", "/tensorcast.global_store.v1.ClusterAdminService/HealthCheck", "GlobalStore/HealthCheck", SpanRPC)
	f(globalStore, "", "/tensorcast.global_store.v1.MemoryTierService/Report", "GlobalStore/Report", SpanRPC)
	f(unowned, "", "/tensorcast.global_store.v1.ArtifactCatalogService/Get", "GlobalStore/Get", SpanRPC)
	f(core, "", "StoreEngine::lock_chunks", "StoreEngine/LockChunks", SpanCode)
	f(core, "", "registration_commit.gs.register_memory_replica.rpc", "StoreEngine/RegisterMemoryReplica", SpanPack)
	f(core, "", "p2p.chunk_wait", "StoreEngine/P2pChunkWait", SpanPack)
	f(core, "", "ingest_from_p2p_internal", "StoreEngine/IngestFromP2pInternal", SpanPack)
	for _, name := range []string{"Client/LoadDictLocal", "Store/Put", "StoreEngine/P2PIngest", "P2P/ChunkRecv", "H2D/Copy"} {
		f(daemon, "", name, name, Conformant)
	}

	// TuFT.
	f(tuft, "", "training_controller.run_forward_backward", "TrainingController/RunForwardBackward", SpanCode)
	f(tuft, "", "future_store.execute_operation", "FutureStore/ExecuteOperation", SpanCode)
	f(tuft, "", "redis.SET", "Redis/Set", SpanPack)
	f(tuft, "", "oai.proxy_inference", "Oai/ProxyInference", SpanCode)
	f(tuft, "", "POST /api/v1/forward", "POST /api/v1/forward", Exempt)
	f(tuft, "", "POST /api/v1/forward http receive", "Http/Receive", SpanText)

	// PyTango.
	f(tangoCPP, "", "virtual CORBA::Any* Tango::Device_4Impl::command_inout_4(const char*, const CORBA::Any&, Tango::DevSource, const Tango::ClntIdent&)", "Device/CommandInout4", SpanPack)
	f(tangoCPP, "", "virtual Tango::AttributeValueList_5* Tango::Device_5Impl::read_attributes_5(const Tango::DevVarStringArray&)", "Device/ReadAttributes5", SpanPack)
	f(tangoCPP, "", "Tango::Device_4Impl::command_inout_4", "Device/CommandInout4", SpanPack)
	f(tangoCPP, "", "Tango::DeviceProxy::DeviceProxy", "DeviceProxy/DeviceProxy", SpanCode)
	f(tangoPython, "", "DeviceProxy.__init__", "DeviceProxy/Init", SpanCode)
	f(tangoPython, "", "move_too_far", "Tango/MoveTooFar", SpanCode)
	f(tangoCPP, "", "void Tango::ZmqEventSupplier::push_event(Tango::DeviceImpl*, std::string)", "ZmqEventSupplier/PushEvent", SpanCode)
	f(tangoPython, "", "SKABaseDevice.On", "SKABaseDevice/On", SpanCode)
	f(tangoPython, "", "simple_device.<locals>.TestDevice.lineno_command", "TestDevice/LinenoCommand", SpanCode)
	f(tangoPython, "", "simple_device.<locals>.main", "SimpleDevice/Main", SpanCode)
	f(tangoPython, "", "__main__", "Client/Main", SpanPack)
	f(tangoPython, "", "<module>", "Client/Main", SpanPack)

	// FastDeploy.
	f(fastdeploy, "", "FastDeploy Req cmpl-1b6c", "FastDeploy/Request", SpanPack)
	f(fastdeploy, "", "POST /v1/completions (Req: cmpl-0aa7)", "FastDeploy/Completions", SpanPack)
	f(fastdeploy, "", "POST /v1/chat/completions (Req: chatcmpl-0aa7)", "FastDeploy/ChatCompletions", SpanPack)
	f(fastdeploy, "", "scheduler[TP 3] (host:node-7 | pid:1234)", "FastDeploy/Thread", SpanPack)
	f(source{"", "fastdeploy", ""}, "", "PREFILL", "FastDeploy/Prefill", SpanCode)
	f(source{"", "fastdeploy", ""}, "", "FD_START", "FastDeploy/FdStart", SpanCode)

	f(fastdeploy, "", "prefill Req cmpl-1b6c", "FastDeploy/Request", SpanPack)
	f(fastdeploy, "", "decode Req 7", "FastDeploy/Request", SpanPack)
	f(fastdeploy, "", "mixed Req anything at all", "FastDeploy/Request", SpanPack)
	f(fastdeploy, "", "Req bob's request", "FastDeploy/Request", SpanPack)
	f(fastdeploy, "", "prefill (Req: cmpl-0aa7)", "FastDeploy/Prefill", SpanPack)
	f(fastdeploy, "", "chat completion 1234 (Req: x)", "FastDeploy/ChatCompletion", SpanPack)

	// The general rules, for names without an owner.
	f(unowned, "", "PaymentService/Charge", "PaymentService/Charge", Conformant)
	f(unowned, "", "Charge 8f3a-11d2-4a77", "PaymentService/Charge", SpanCode)
	f(unowned, "", "Charge 8f3a-…", "PaymentService/Charge", SpanText)
	f(unowned, "", "charge_3f2504e0-4f89-11d3-9a0c-0305e82c3301", "PaymentService/Charge", SpanCode)
	f(unowned, "", "Charge order-1234567", "PaymentService/ChargeOrder", SpanText)
	f(unowned, "", "job_99887", "PaymentService/Job", SpanCode)
	f(unowned, "", "fetch request:12345", "PaymentService/FetchRequest", SpanText)
	f(unowned, "", "alloc 0x7f8a9c001200", "PaymentService/Alloc", SpanCode)
	f(unowned, "", "task.12345678", "PaymentService/Task", SpanCode)
	f(unowned, "", "chunk[1234567]", "PaymentService/Chunk", SpanText)
	f(unowned, "", "chunk(1234567)", "PaymentService/Chunk", SpanText)
	f(unowned, "", "connect 10.0.0.1:8080", "PaymentService/Connect", SpanCode)
	f(unowned, "", "job_12345_67890", "PaymentService/Job", SpanCode)
	f(unowned, "", "complete cmpl-7h2kx0q1m9z3", "PaymentService/CompleteCmpl", SpanText)
	f(fastdeploy, "", "POST / (Req: cmpl-0aa7)", "FastDeploy/Request", SpanPack)
	f(fastdeploy, "", "POST /v1/123 (Req: cmpl-0aa7)", "FastDeploy/Request", SpanPack)
	// Names with digits that are not ids.
	f(unowned, "", "convert_int32_to_fp16", "PaymentService/ConvertInt32ToFp16", SpanCode)
	f(unowned, "", "flash_attn_fwd_hdim128_bf16_sm90", "PaymentService/FlashAttnFwdHdim128Bf16Sm90", SpanCode)
	f(unowned, "", "StoreEngine::h264_to_h265_transcode", "StoreEngine/H264ToH265Transcode", SpanCode)
	f(unowned, "", "s3_put_object_v2_2006_03_01", "PaymentService/S3PutObjectV220060301", SpanCode)
	f(unowned, "", "/com.example.h264.v2.x265.Transcoder/Run", "Transcoder/Run", SpanRPC)
	f(unowned, "", "decade80", "PaymentService/Decade80", SpanCode)
	f(unowned, "", "Llama3Instruct70BChat", "PaymentService/Llama3Instruct70BChat", SpanCode)
	f(unowned, "", "GET /convert_h264_to_h265_x", "GET /convert_h264_to_h265_x", Exempt)
	f(unowned, "", "GET /2015-03-31/functions/{name}", "GET /2015-03-31/functions/{name}", Exempt)
	f(unowned, "", "cast to bf16", "PaymentService/CastToBf16", SpanText)
	f(unowned, "", "matmul_bf16 on a100", "PaymentService/MatmulBf16OnA100", SpanText)
	f(unowned, "shop.v1.LedgerService", "Append", "Ledger/Append", SpanRPC)
	f(unowned, "", "/shop.v1.LedgerService/Append", "Ledger/Append", SpanRPC)
	f(unowned, "", "GET /users/{id}", "GET /users/{id}", Exempt)
	f(unowned, "", "GET", "GET", Exempt)
	f(unowned, "", "GET /users/1234", "PaymentService/GetUsers", SpanText)
	f(unowned, "", "payment/charge", "Payment/Charge", SpanText)
	f(unowned, "", "std::vector<int, std::allocator<int>>::push_back(int&&)", "Vector/PushBack", SpanCode)
	f(unowned, "", "ns::Foo::~Foo()", "Foo/DestroyFoo", SpanCode)
	// Operators, destructors and templates.
	for operator, want := range map[string]string{
		"operator==": "OperatorEqual", "operator!=": "OperatorNotEqual", "operator<": "OperatorLess", "operator<=>": "OperatorCompare",
		"operator()": "OperatorCall", "operator[]": "OperatorIndex", "operator->": "OperatorArrow", "operator+": "OperatorPlus",
		"operator+=": "OperatorPlusAssign", "operator++": "OperatorIncrement", "operator<<": "OperatorShiftLeft", "operator=": "OperatorAssign",
		"operator new": "OperatorNew", "operator new[]": "OperatorNewArray", "operator delete": "OperatorDelete", "operator delete[]": "OperatorDeleteArray",
		"operator bool": "OperatorBool", "operator const char*": "OperatorConstCharPointer", `operator""_km`: "OperatorKm", "operator,": "OperatorComma",
		"~Foo": "DestroyFoo", "get<int>": "GetInt", "get<double>": "GetDouble",
	} {
		for _, parameters := range []string{"", "(const ns::Foo&, int)", "() const"} {
			f(unowned, "", "ns::Foo::"+operator+parameters, "Foo/"+want, SpanCode)
			f(unowned, "", "virtual bool ns::Foo<int, std::string>::"+operator+parameters, "Foo/"+want, SpanCode)
		}
	}
	f(tangoCPP, "", "virtual Tango::Device_4Impl::~Device_4Impl()", "Device/DestroyDevice4Impl", SpanPack)
	f(unowned, "", "bool operator==(const Foo&, const Foo&)", "PaymentService/OperatorEqual", SpanCode)
	f(unowned, "", "operator 12345 called", "PaymentService/OperatorCalled", SpanText)
	f(unowned, "", "(anonymous namespace)::Foo::bar()", "Foo/Bar", SpanCode)

	// Letters of all scripts.
	f(unowned, "", "处理请求", "PaymentService/Fkihipdm", SpanCode)
	f(unowned, "", "größe", "PaymentService/GroePppkhglb", SpanCode)
	f(unowned, "", "Größe.ändern", "GroeGefgkjij/AndernEddlkadf", SpanCode)
	f(unowned, "", "обработать заказ 12345", "PaymentService/Flpmhfoi", SpanText)
	f(unowned, "", "订单12345678", "PaymentService/Ckjocndc", SpanCode)

	// Values that are nobody's business.
	f(unowned, "", "send mail to bob.smith@example.com", "PaymentService/SendMailTo", SpanText)
	f(unowned, "", "SELECT name FROM users WHERE id = 42 AND mail = 'bob''s'", "PaymentService/SelectNameFromUsersWhereIdAndMail", SpanText)
	f(unowned, "", `INSERT INTO users VALUES (7, "alice", 0x1f, 1e5)`, "PaymentService/InsertIntoUsersValues", SpanText)
	f(unowned, "", "search?q=secret&lang=de", "PaymentService/SearchQLang", SpanText)
	f(unowned, "", "lookup user='alice smith' limit=ten", "PaymentService/LookupUserLimit", SpanText)

	// HTTP spans.
	f(unowned, "/users/{id}", "GET /users/42", "GET /users/{id}", SpanRoute)
	f(unowned, "/users/{name}", "GET /users/alice?x=1", "GET /users/{name}", SpanRoute)
	f(unowned, "/users", "GET /users", "GET /users", Exempt)
	f(unowned, "users/{name}", "GET /users/alice", "GET /users/{name}", SpanRoute)
	f(unowned, "no route", "GET /users/alice", "GET /users/alice", Exempt)
	f(unowned, "/users/{id}", "GET", "GET", Exempt)
	f(unowned, "", "GET /search?q=bob", "GET /search", SpanRoute)
	f(unowned, "", "GET /users/bob@example.com", "PaymentService/GetUsers", SpanText)
	// ASGI.
	f(unowned, "", "GET /users/42 http send", "Http/Send", SpanText)
	f(unowned, "", "POST http receive", "Http/Receive", SpanText)
	f(unowned, "", "/ws/7 websocket send", "Websocket/Send", SpanText)
	f(unowned, "", "websocket receive", "Websocket/Receive", SpanText)
	f(unowned, "", "please send", "PaymentService/PleaseSend", SpanText)

	f(unowned, "", "2pc commit", "PaymentService/Op2pcCommit", SpanText)
	f(unowned, "", "0"+strings.Repeat("q", 80)+" more", "PaymentService/Op0"+strings.Repeat("q", 53)+"Hlpmgnjn", SpanText)
	f(unowned, "", "", "PaymentService/Unnamed", SpanText)
	f(unowned, "", "处理", "PaymentService/Edfhbjgl", SpanCode)
	f(unowned, "", "…!", "PaymentService/Unnamed", SpanText)
	f(source{}, "", "work", "Unknown/Work", SpanCode)
	f(source{"", "unknown_service:python", "shop.ledger"}, "", "work", "Ledger/Work", SpanCode)
	f(source{"", "3scale", ""}, "", "work", "Unknown/Work", SpanCode)
}

func TestSpanAttributesFromNames(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(from source, name string, attributes []Attribute, ids ...string) {
		t.Helper()
		d := from.span(n, "", name)
		assert.Equal(t, attributes, d.Attributes, name)
		assert.Equal(t, ids, d.IDs, name)
	}
	f(fastdeploy, "POST /v1/completions (Req: cmpl-0aa7)", []Attribute{
		{"http.request.method", "POST"}, {"http.route", "/v1/completions"}, {"rid", "cmpl-0aa7"},
	})
	f(fastdeploy, "FastDeploy Req chatcmpl-9c1d", []Attribute{{"rid", "chatcmpl-9c1d"}})
	f(fastdeploy, "scheduler[TP 3] (host:node-7 | pid:1234)", []Attribute{
		{"tc.host.id", "node-7"}, {"tc.thread.label", "scheduler"}, {"tc.thread.pid", "1234"}, {"tc.tp.rank", "3"},
	})
	f(fastdeploy, "tokenizer(host:node-7 | pid:1234)", []Attribute{
		{"tc.host.id", "node-7"}, {"tc.thread.label", "tokenizer"}, {"tc.thread.pid", "1234"},
	})
	f(unowned, "Charge 8f3a-11d2-4a77", nil, "8f3a-11d2-4a77")
	f(unowned, "GET /users/1234/orders/77", nil, "1234", "77")
	f(unowned, "charge_3f2504e0-4f89-11d3-9a0c-0305e82c3301", nil, "3f2504e0-4f89-11d3-9a0c-0305e82c3301")
	f(unowned, "MaterializeReplicaV2", nil)
	f(unowned, "Device_4Impl command_inout_4", nil)
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

// Values that senders put into names leave them, however they are written.
func TestValuesLeaveNames(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(name, want string) {
		t.Helper()
		d := unowned.span(n, "", name)
		assert.Equal(t, want, d.Name, name)
		assert.Equal(t, want, unowned.span(n, "", d.Name).Name)
	}
	f(`SELECT a FROM f WHERE path = 'C:\' AND owner = 'bob smith'`, "PaymentService/SelectAFromFWherePath")
	f(`SELECT a FROM f WHERE name = 'it\'s' AND owner = 'bob smith'`, "PaymentService/SelectAFromFWhereName")
	f("COPY users FROM '/home/bob/secret.csv'", "PaymentService/CopyUsersFrom")
	f("VALUES ('bob')", "PaymentService/Values")
	f("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jYt", "PaymentService/Bearer")
	f("mail to bob%40example.com", "PaymentService/MailTo")
	f("mail to bob＠example.com", "PaymentService/MailTo")
	f("GET /search?q=bob smith", "GET /search")
	f(`find {"name": "Tom Hanks", "age": 5}`, "PaymentService/FindNameAge")
	f(`find {"name": {"$in": ["Tom", "Bob"]}}`, "PaymentService/FindNameIn")
	f("MATCH (n:Person {name: 'Tom'}) RETURN n", "PaymentService/MatchNPersonNameReturnN")
	f(`query { user(name: "Bob") { mail } }`, "PaymentService/QueryUserNameMail")
	f(`greet(world, "Bob")`, "PaymentService/GreetWorld")
	f("don't stop, it's fine", "PaymentService/DonTStopItSFine")
	f("job 2026-11-23T10:00:00.123Z", "PaymentService/Job")
	f("job 2026-11-23 10:00", "PaymentService/Job")
	f("getUser1234567890", "PaymentService/GetUser")
	f("handle request1732323232000 again", "PaymentService/HandleRequestAgain")
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
