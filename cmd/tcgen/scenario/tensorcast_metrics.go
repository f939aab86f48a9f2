// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"time"
)

// newDaemonMeter defines the instruments of a C++ Store Daemon. None has a unit,
// and the gauges that end in _total are counters registered as gauges.
func newDaemonMeter(start time.Time) *meter {
	m := &meter{scope: "tensorcast.daemon", version: "1.0.0", start: start}
	m.define(counter, "tc_p2p_bytes_total", "", "")
	m.define(counter, "tc_rpc_requests_total", "", "")
	m.define(counter, "tc_rpc_errors_total", "", "")
	m.define(counter, "tc_p2p_source_reselection_attempt_total", "", "")
	m.define(counter, "tc_p2p_source_reselection_success_total", "", "")
	m.define(counter, "tc_p2p_source_reselection_exhausted_total", "", "")
	m.define(counter, "tc_p2p_stale_source_detected_total", "", "")
	m.define(histogram, "tc_artifact_load_seconds", "", "")
	m.define(histogram, "tc_register_commit_seconds", "", "")
	m.define(histogram, "tc_rpc_duration_seconds", "", "")
	m.define(gauge, "tc_pinned_class_capacity_slices", "", "")
	m.define(gauge, "tc_pinned_class_in_use_slices", "", "")
	m.define(gauge, "tc_pinned_class_acquire_timeouts_total", "", "")
	m.define(gauge, "tc_pinned_budget_exhausted_total", "", "")
	// Two components register this name; the second instrument is gpuPool.
	m.define(gauge, "tc_memory_pool_bytes", "", "")
	m.define(gauge, "tc_memory_pool_bytes", "", "")
	return m
}

// gpuPool is the second registration of tc_memory_pool_bytes.
func gpuPool(m *meter) *instrument { return m.instruments[len(m.instruments)-1] }

func (run *tensorCastRun) metrics() {
	// The daemon has the option on that labels its RPC metrics with ids.
	run.feedDaemon(run.daemonMeter, "tc.request.id", randomUUID(run.rng), "tc.artifact.id", run.artifact)
	run.feedDaemon(run.peerMeter)
	run.daemon.export(run.daemonMeter)
	run.peer.export(run.peerMeter)
	run.feedGlobalStore()
	run.feedDaemonPage()
}

func (run *tensorCastRun) feedDaemon(m *meter, ids ...any) {
	m.record("tc_p2p_bytes_total", 8<<20)
	for _, method := range []string{"MaterializeReplicaV2", "DeregisterArtifact"} {
		attrs := append([]any{"method", method}, ids...)
		m.record("tc_rpc_requests_total", 1, attrs...)
		m.record("tc_rpc_duration_seconds", between(run.rng, 0.01, 2), attrs...)
	}
	if run.scenarios%4 == 3 {
		m.record("tc_rpc_errors_total", 1, append([]any{"method", "MaterializeReplicaV2"}, ids...)...)
	}
	for _, outcome := range []string{"attempt", "success", "exhausted"} {
		m.record("tc_p2p_source_reselection_"+outcome+"_total", 1, "reason", "stale_source", "view_scoped", "true", "attempt", "1")
	}
	m.record("tc_p2p_stale_source_detected_total", 1, "reason", "stale_source", "view_scoped", "true", "attempt", "1")
	m.record("tc_artifact_load_seconds", between(run.rng, 0.5, 4),
		"source", "remote", "device", "cuda:0", "phase", "total", "view_scope", "view", "view_id_prefix", run.view[:24])
	m.record("tc_artifact_load_seconds", between(run.rng, 0.5, 4),
		"source", "disk", "device", "cuda:0", "phase", "total", "view_scope", "canonical")
	m.record("tc_register_commit_seconds", between(run.rng, 0.01, 0.2), "result", "ok")
	for _, class := range []string{"engine", "comm_gpu"} {
		m.record("tc_pinned_class_capacity_slices", 4096, "class", class)
		m.record("tc_pinned_class_in_use_slices", float64(run.rng.IntN(4096)), "class", class)
		m.record("tc_pinned_class_acquire_timeouts_total", float64(run.scenarios/4), "class", class)
	}
	m.record("tc_pinned_budget_exhausted_total", float64(run.scenarios/8))
	m.record("tc_memory_pool_bytes", between(run.rng, 1e9, 64e9), "location", "cpu", "memory_type", "available")
	gpuPool(m).record(between(run.rng, 1e9, 80e9), "location", "gpu", "memory_type", "available")
}

func (run *tensorCastRun) feedGlobalStore() {
	e := run.store
	e.move(run.now, run.rng)

	e.add("tc_replica_register_total", 1, run.artifact, "GPU")
	e.add("tc_replica_unregister_total", 1, run.artifacts[run.scenarios%len(run.artifacts)], "GPU")
	e.set("tc_replicas_per_artifact", float64(1+run.rng.IntN(4)), run.artifact)
	e.add("tc_transport_requests_total", 1, run.artifact, "success")
	e.observe("tc_transport_wait_seconds", between(run.rng, 0, 0.3), run.artifact)
	e.add("tc_transport_filter_total", 1, run.artifact, "not_exportable")
	e.add("tc_transport_no_exportable_total", 1, run.artifact)
	e.set("tc_transport_source_top1_share", run.rng.Float64(), run.artifact)
	e.set("tc_transport_source_hhi", run.rng.Float64(), run.artifact)
	e.set("tc_view_partial_backlog_bytes", between(run.rng, 0, 1e9), run.artifact, run.view)
}

func (run *tensorCastRun) feedDaemonPage() {
	e := run.oldDaemonPage
	e.move(run.now, run.rng)

	request := randomUUID(run.rng)
	e.add("tc_rpc_requests_total", 1, "MaterializeReplica", request, run.artifact)
	e.observe("tc_rpc_duration_seconds", between(run.rng, 0.01, 2), "MaterializeReplica", request, run.artifact)
	e.observe("tc_artifact_load_seconds", between(run.rng, 0.5, 4), "remote", run.view[:24])
}
