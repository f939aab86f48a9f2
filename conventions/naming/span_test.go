package naming

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

func newNamer(t testing.TB, opts Options) *Namer {
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	if opts.Prefix == "" {
		opts.Prefix = "tc_"
	}
	if opts.Unknown == "" {
		opts.Unknown = UnknownRename
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
	return n.Span(Context{Owner: s.owner(n), Scope: s.scope, Service: s.service}, rpcService, name)
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
	f(tuft, "", "redis.SET", "Redis/Set", SpanCode)
	f(tuft, "", "oai.proxy_inference", "Oai/ProxyInference", SpanCode)
	f(tuft, "", "POST /api/v1/forward", "POST /api/v1/forward", Exempt)
	f(tuft, "", "POST /api/v1/forward http receive", "Http/Receive", SpanPack)

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
	f(unowned, "", "ns::Foo::~Foo()", "Foo/Foo", SpanCode)
	f(unowned, "", "2pc commit", "PaymentService/Op2pcCommit", SpanText)
	f(unowned, "", "0"+strings.Repeat("q", 80)+" more", "PaymentService/Op0"+strings.Repeat("q", 61), SpanText)
	f(unowned, "", "", "PaymentService/Unnamed", SpanText)
	f(unowned, "", "处理", "PaymentService/Unnamed", SpanText)
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
