// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// tensorCast is a cluster of one Global Store and three Store Daemons: one loads
// artifacts for a client, one is the peer it fetches them from, and one is of an
// older build, whose metrics are scraped.
type tensorCast struct {
	random                      *rand.Rand
	scenarios                   int
	artifacts                   []string
	daemonMeter, peerMeter      *meter
	store, oldDaemonPage        *exposition
	daemonWorker, peerWorker    string
	daemonDevice, clientSession string
}

func newTensorCast(rng *rand.Rand, start time.Time) Generator {
	g := &tensorCast{
		random:        rng,
		daemonMeter:   newDaemonMeter(start),
		peerMeter:     newDaemonMeter(start),
		store:         newExposition(start, true, globalStoreFamilies, nil),
		oldDaemonPage: newExposition(start, false, daemonFamilies, nil),
		daemonWorker:  randomUUID(rng),
		peerWorker:    randomUUID(rng),
		daemonDevice:  "GPU-" + randomUUID(rng),
		clientSession: randomUUID(rng),
	}
	for range 4 {
		g.artifacts = append(g.artifacts, newArtifactID(rng))
	}
	return g
}

func newArtifactID(rng *rand.Rand) string { return "mi2:" + randomHex(rng, 64) }

func (g *tensorCast) Name() string { return "tensorcast" }

// Gatherer exposes the registries of the Global Store and the older daemon, which
// have no family in common.
func (g *tensorCast) Gatherer() prometheus.Gatherer {
	return prometheus.Gatherers{g.store.registry, g.oldDaemonPage.registry}
}

// tensorCastRun is one scenario: its processes and the ids drawn for it.
type tensorCastRun struct {
	*recorder
	*tensorCast
	client, daemon, peer, globalStore, oldDaemon, oldGlobalStore *process

	artifact, published, transport, replica, view string
}

func (g *tensorCast) Next(now time.Time) Batch {
	r := newRecorder(g.random, now)
	run := &tensorCastRun{
		recorder:   r,
		tensorCast: g,
		// Only the Python processes state their version.
		client:         r.process("service.name", "tensorcast-client", "service.namespace", "tensorcast", "service.version", "0.9.2", "tc.node.role", "client"),
		daemon:         r.process("service.name", "tensorcast-store-daemon", "service.namespace", "tensorcast", "tc.node.role", "store_daemon", "host.name", "node-a"),
		peer:           r.process("service.name", "tensorcast-store-daemon", "service.namespace", "tensorcast", "tc.node.role", "store_daemon", "host.name", "node-b"),
		globalStore:    r.process("service.name", "tensorcast-global-store", "service.namespace", "tensorcast", "service.version", "0.9.2", "tc.node.role", "global_store"),
		oldDaemon:      r.process("service.name", "tensorcast-store-daemon", "service.namespace", "tensorcast", "tc.node.role", "store_daemon", "host.name", "node-c"),
		oldGlobalStore: r.process("service.name", "tensorcast-global-store", "service.namespace", "tensorcast", "service.version", "0.6.0", "tc.node.role", "global_store"),
		artifact:       g.artifacts[g.random.IntN(len(g.artifacts))],
		published:      newArtifactID(g.random),
		transport:      randomUUID(g.random),
		replica:        randomUUID(g.random),
		view:           "view:" + randomHex(g.random, 40),
	}
	run.publish()
	run.loadFromPeer()
	run.loadFromDisk()
	run.housekeeping()
	run.metrics()

	g.artifacts[g.scenarios%len(g.artifacts)] = run.published
	g.scenarios++
	return r.finish()
}

// rpc adds the client's and the Global Store's span of one call and returns the latter.
func (run *tensorCastRun) rpc(caller tracer, parent SpanRef, service, method string, from, to int, kv ...any) span {
	c := caller.span("GlobalStore/"+method, client, parent, from, to,
		"rpc.system", "grpc", "rpc.service", "tensorcast.global_store.v1."+service, "rpc.method", method)
	s := run.globalStore.tracer("opentelemetry.instrumentation.grpc").span(
		"/tensorcast.global_store.v1."+service+"/"+method, server, c.ref(), from+1, to-1,
		"rpc.system", "grpc", "rpc.service", "tensorcast.global_store.v1."+service, "rpc.method", method,
		"rpc.grpc.status_code", 0, "net.peer.ip", "10.0.0.11", "net.peer.port", fmt.Sprint(32768+run.rng.IntN(28000)))
	put(s.Attributes(), kv...)
	return s
}

// daemonRPC adds a Store Daemon's server span, named by the bare method.
func daemonRPC(p *process, method string, parent SpanRef, from, to int, kv ...any) span {
	s := p.tracer("tensorcast.daemon").span(method, server, parent, from, to,
		"rpc.system", "grpc", "rpc.service", "tensorcast.daemon.v2.StoreDaemonService", "rpc.method", method)
	put(s.Attributes(), kv...)
	return s
}

// loadFromPeer is the load of an artifact that another daemon holds. The calls
// between the daemons carry no context, and neither do the loader threads, so the
// one operation leaves a dozen traces; tc.transport.id joins seven of them.
func (run *tensorCastRun) loadFromPeer() {
	load := run.client.tracer("tensorcast.client").span("Client/LoadDictDaemon", client, root, 200, 1500,
		"tc.artifact.id", run.artifact, "tc.key", "models/llama-70b/"+run.published[4:12], "tc.store.daemon", "node-a:50051",
		"tc.store.session_id", run.clientSession, "component", "client")
	mat := daemonRPC(run.daemon, "MaterializeReplicaV2", load.ref(), 205, 1490,
		"tc.artifact.id", run.artifact, "tc.replica.id", run.replica, "tc.view.id", run.view,
		"tc.device.id", 0, "tc.device.uuid", run.daemonDevice, "tc.location", "gpu", "tc.worker.id", run.daemonWorker)
	core := run.daemon.tracer("tensorcast.core")
	engine := run.daemon.tracer("tensorcast.daemon")
	core.span("StoreEngine::lock_chunks", internal, mat.ref(), 210, 225)

	requested := run.rpc(engine, mat.ref(), "ClusterRuntimeService", "RequestReplicaTransport", 230, 260, "tc.transport.id", run.transport)
	ingest := engine.span("StoreEngine/P2PIngest", internal, mat.ref(), 270, 1300,
		"tc.artifact.id", run.artifact, "tc.source.type", "remote", "tc.source.address", "10.0.0.12:50052", "tc.p2p.port", 50052,
		"tc.remote.key", run.artifact[4:20]+"@node-b", "tc.size.bytes", 8<<20, "component", "store_engine")
	if run.scenarios%4 == 3 {
		ingest.event("p2p_ingest_error", 400, "error", "RESOURCE_EXHAUSTED: no free chunk", "event", "p2p_ingest_error")
		ingest.event("p2p_ingest_retry_after_eviction", 420, "event", "p2p_ingest_retry_after_eviction")
	}
	ingest.event("p2p_ingest_complete", 1290, "event", "p2p_ingest_complete", "tc.size.bytes", 8<<20)
	inner := core.span("ingest_from_p2p_internal", internal, ingest.ref(), 275, 1290)
	engine.span("P2P/DirectWrite", internal, ingest.ref(), 1200, 1280, "tc.size.bytes", 1<<20)

	completed := run.rpc(engine, mat.ref(), "ClusterRuntimeService", "CompleteReplicaTransport", 1310, 1340, "tc.transport.id", run.transport)
	commit := core.span("registration_commit.gs.register_memory_replica.rpc", internal, mat.ref(), 1350, 1400)
	run.rpc(engine, commit.ref(), "ArtifactCatalogService", "RegisterReplica", 1355, 1395)

	begun, ended, released := run.peerSpans()
	run.pair(RuleTransport, requested.ref(), begun.ref(), ended.ref(), completed.ref())
	for _, root := range append(run.loaderSpans(), released) {
		run.pair(RuleTransport, requested.ref(), root.ref())
	}
	run.loadLogs(mat.ref(), inner.ref(), ended.ref(), requested.ref())
}

// peerSpans are the peer's side of a transfer; each call is a root of its own.
func (run *tensorCastRun) peerSpans() (begun, ended, released span) {
	begun = daemonRPC(run.peer, "BeginReplicaFetch", root, 280, 295, "tc.artifact.id", run.artifact, "tc.transport.id", run.transport)
	daemonRPC(run.peer, "MaterializeReplica", root, 300, 360, "tc.artifact.id", run.artifact, "tc.location", "cpu", "tc.worker.id", run.peerWorker)
	ended = daemonRPC(run.peer, "EndReplicaFetch", root, 1285, 1299, "tc.artifact.id", run.artifact, "tc.transport.id", run.transport)
	released = daemonRPC(run.peer, "ReleaseReplica", root, 1302, 1308,
		"tc.artifact.id", run.artifact, "tc.replica.id", run.replica, "tc.transport.id", run.transport)
	return begun, ended, released
}

// loaderSpans come from threads that lost the context: a flood of roots. It returns those
// that know the transfer.
func (run *tensorCastRun) loaderSpans() (copies []span) {
	loader := run.daemon.tracer("tensorcast.daemon")
	for i := range 8 {
		from := 380 + 100*i
		loader.span("P2P/ChunkRecv", internal, root, from, from+90,
			"tc.artifact.id", run.artifact, "tc.offset", int64(i)<<20, "tc.size.bytes", 1<<20, "tc.conn.index", i%2)
	}
	for i := range 2 {
		copies = append(copies, loader.span("H2D/Copy", internal, root, 1205+30*i, 1230+30*i,
			"tc.artifact.id", run.artifact, "tc.transport.id", run.transport, "tc.device.id", 0, "tc.offset", int64(4*i)<<20, "tc.size.bytes", 4<<20))
	}
	return copies
}

// loadFromDisk is a load without the daemon, whose source is gone.
func (run *tensorCastRun) loadFromDisk() {
	load := run.client.tracer("tensorcast.client").span("Client/LoadDictLocal", client, root, 1550, 1650,
		"tc.artifact.id", run.artifact, "tc.source.type", "disk", "tc.disk.path", "/mnt/artifacts/"+run.artifact[4:], "tc.location", "cpu")
	load.event("store.fallback.disk", 1560, "tc.disk.path", "/mnt/artifacts/"+run.artifact[4:], "event", "store.fallback.disk")
	run.daemon.tracer("tensorcast.daemon").span("H2D/Copy", internal, load.ref(), 1600, 1640,
		"tc.artifact.id", run.artifact, "tc.device.id", 1, "tc.offset", int64(0), "tc.size.bytes", 8<<20)
	if run.scenarios%5 == 2 {
		load.fail("no replica and no disk copy")
		load.Attributes().PutStr("error", "NOT_FOUND")
	}
}

// publish puts a new artifact into the store.
func (run *tensorCastRun) publish() {
	sdk := run.client.tracer("tensorcast.client")
	engine := run.daemon.tracer("tensorcast.daemon")
	stored := sdk.span("Store/Put", client, root, 20, 180,
		"tc.artifact.id", run.published, "tc.store.client_artifact_id", "step-"+fmt.Sprint(1000+run.scenarios), "tc.size.bytes", 8<<20)
	register := sdk.span("Store/Register", client, stored.ref(), 60, 150, "tc.artifact.id", run.published)
	daemon := daemonRPC(run.daemon, "RegisterArtifact", register.ref(), 65, 140, "tc.artifact.id", run.published)
	run.rpc(engine, daemon.ref(), "AssemblyViewService", "RegisterView", 70, 90)
	run.rpc(engine, daemon.ref(), "WorkflowOrchestrationService", "StartOperation", 95, 110)
	run.rpc(engine, daemon.ref(), "MemoryTierService", "ReportMemoryTier", 115, 130)
}

// housekeeping is what goes on beside the loads, some of it in older builds.
func (run *tensorCastRun) housekeeping() {
	engine := run.daemon.tracer("tensorcast.daemon")
	health := run.rpc(engine, root, "ClusterAdminService", "HealthCheck", 1700, 1710)
	daemonRPC(run.daemon, "DeregisterArtifact", root, 1750, 1790, "tc.artifact.id", run.artifacts[run.scenarios%len(run.artifacts)])

	old := run.oldDaemon.tracer("tensorcast.daemon").span("StoreDaemon/MaterializeReplica", server, root, 1800, 1900,
		"rpc.system", "grpc", "rpc.service", "tensorcast.daemon.v1.StoreDaemonService", "rpc.method", "MaterializeReplica", "tc.artifact.id", run.artifact)
	run.oldGlobalStore.tracer("opentelemetry.instrumentation.grpc").span(
		"/tensorcast.global_store.v1.GlobalStoreService/HealthCheck", server, old.ref(), 1850, 1860,
		"rpc.system", "grpc", "rpc.service", "tensorcast.global_store.v1.GlobalStoreService", "rpc.method", "HealthCheck", "net.peer.ip", "10.0.0.13")
	run.housekeepingLogs(health.ref())
}
