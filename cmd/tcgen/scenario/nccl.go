// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// nccl is what NCCL writes with NCCL_DEBUG=INFO in four processes of a node, and the metrics of its Inspector plugin on
// the node_exporter of another one.
var nccl = keptSystem{name: "nccl", families: ncclFamilies(), next: nextNCCL}

const ncclNode = "gpu-node-7"

func ncclFamilies() []family {
	gpus, groups, sizes := numbered("GPU%d", 8), one("DP Group 0", "TP Group 0"), one("8-9MB", "512-513MB", "4-5GB")
	with := func(operation string, values [][]string, labels ...string) (names []string, tuples [][]string) {
		names = append(strings.Fields("version slurm_job_id node gpu comm_name n_nodes nranks"), operation, "message_size")
		return append(names, labels...), combined(one("v5.1"), one("48121"), one("gpu-node-8"), gpus, groups, one("4"), one("32"), values, sizes)
	}
	collectives, values := with("collective", one("AllReduce", "AllGather", "ReduceScatter"), "algo_proto")
	p2p, pairs := with("p2p_operation", one("Send", "Recv"))
	values = combined(values, one("Ring_simple"))
	return slices.Concat(
		alike(scrapedGauge, collectives, values, 480, "nccl_bus_bandwidth_gbs"),
		alike(scrapedGauge, collectives, values, 90000, "nccl_collective_exec_time_microseconds"),
		alike(scrapedGauge, p2p, pairs, 480, "nccl_p2p_bus_bandwidth_gbs"),
		alike(scrapedGauge, p2p, pairs, 90000, "nccl_p2p_exec_time_microseconds"),
	)
}

// nextNCCL writes the start of the communicators of each process, and in some scenarios how a connection breaks.
func nextNCCL(run *keptRun) {
	for device := range 4 {
		w := ncclWriter{run, fmt.Sprintf("nccl.%s.%d.log", ncclNode, 4711+device), 4711 + device, device}
		ms := 10 * device
		w.info(ms, 0, "Bootstrap: Using eth0:10.0.0.7<0>")
		w.info(ms+20, 0, "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.7<0>")
		w.info(ms+40, 91, "Using network IB")
		w.info(ms+60, 91, fmt.Sprintf("ncclCommInitRankConfig comm 0x%s rank %d nranks 4 cudaDev %d nvmlDev %d busId 1b000 commId 0x%s - Init START", randomHex(run.rng, 12), device, device, device, randomHex(run.rng, 16)))
		w.info(ms+300, 91, "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read")
		if run.scenarios%3 == 1 {
			w.warn(ms+900, 92, "misc/socket.cc:58", "(socketProgressOpt)", "socketProgress: Connection closed by remote peer gpu-node-8<43211>")
			// A network plugin has no function.
			w.warn(ms+901, 92, "transport/net_ib.cc:812", "", "NET/IB: Got completion from peer 10.0.0.8<52918> with status=12 opcode=0 len=0 vendor err 129")
			w.info(ms+905, 92, "transport/net.cc:1332 -> 6")
		}
	}
}

// ncclWriter writes the log of one process (NCCL_DEBUG_FILE=nccl.%h.%p.log).
type ncclWriter struct {
	run         *keptRun
	file        string
	pid, device int
}

// info has no time, unless NCCL_DEBUG_TIMESTAMP_LEVELS names it.
func (w ncclWriter) info(ms, thread int, message string) {
	w.run.write(w.file, ms, root, StatesNothing, fmt.Sprintf("%s:%d:%d [%d] NCCL INFO %s", ncclNode, w.pid, w.pid+thread, w.device, message))
}

// warn has a time by default.
func (w ncclWriter) warn(ms, thread int, source, function, message string) {
	at := w.run.at(ms).Format("2006-01-02 15:04:05")
	w.run.write(w.file, ms, root, StatesNothing, strings.Join(strings.Fields(fmt.Sprintf("[%s] %s:%d:%d [%d] %s %s NCCL WARN", at, ncclNode, w.pid, w.pid+thread, w.device, source, function)), " ")+" "+message)
}
