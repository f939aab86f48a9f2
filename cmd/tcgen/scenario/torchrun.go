// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
)

// torchrun is a training that torchrun has started with --tee 3: the lines of its four workers are on its own stream,
// each behind the name of its worker. In some scenarios a collective operation times out and the training fails.
var torchrun = keptSystem{name: "torchrun", next: nextTorchrun}

const torchrunLog = "train.log"

func nextTorchrun(run *keptRun) {
	agent := torchProcess{run, "", 4700}
	agent.python(0, 'W', "distributed/run.py:984", "", "*****************************************",
		"Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
		"*****************************************")
	agent.python(20, 'I', "distributed/elastic/agent/server/api.py:714", "", "[default] Starting worker group")
	workers := make([]torchProcess, 4)
	for rank := range workers {
		workers[rank] = torchProcess{run, fmt.Sprintf("[default%d]:", rank), 4711 + rank}
	}
	for rank, w := range workers {
		w.cpp(100+rank, 'I', "ProcessGroupNCCL.cpp:1010", rank, "[PG ID 0 PG GUID 0(default_pg) Rank %d] ProcessGroupNCCL initialized with following options: size: 4, global rank: %d, TIMEOUT(ms): 600000", rank, rank)
		w.python(200+rank, 'W', "_inductor/utils.py:1436", fmt.Sprintf("[rank%d]:", rank), "Not enough SMs to use max_autotune_gemm mode")
	}
	if run.scenarios%3 != 2 {
		return
	}
	for rank, w := range workers {
		sequence := 51752 + rank%2
		w.cpp(1000+rank, 'E', "ProcessGroupNCCL.cpp:683", rank, "[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, OpType=ALLREDUCE, NumelIn=5057683, NumelOut=5057683, Timeout(ms)=600000) ran for 600072 milliseconds before timing out.", rank, sequence)
		w.cpp(1010+rank, 'E', "ProcessGroupNCCL.cpp:2241", rank, "[PG ID 0 PG GUID 0(default_pg) Rank %d]  failure detected by watchdog at work sequence id: %d PG status: last enqueued work: %d, last completed work: %d", rank, sequence, sequence, sequence-1)
		w.traceback(1100+rank, rank)
	}
	agent.python(1500, 'W', "distributed/elastic/multiprocessing/api.py:1028", "", "Sending process 4711 closing signal SIGTERM")
	agent.python(1700, 'E', "distributed/elastic/multiprocessing/api.py:1003", "", "failed (exitcode: -6) local_rank: 3 (pid: 4714) of binary: /usr/bin/python3")
}

// torchProcess writes one process's lines, each behind the prefix that tells it from the others.
type torchProcess struct {
	run    *keptRun
	prefix string
	pid    int
}

// python writes a record of PyTorch's logging: the header is on each line, behind the rank of the process group if it
// has one.
func (p torchProcess) python(ms int, level rune, source, rank string, lines ...string) {
	header := fmt.Sprintf("%s%c%s %d torch/%s] ", rank, level, p.run.at(ms).Format("0102 15:04:05.000000"), p.pid, source)
	for _, line := range lines {
		p.write(ms, header+line)
	}
}

// cpp writes a line of PyTorch's C++ logging. The month is not padded.
func (p torchProcess) cpp(ms int, level rune, source string, rank int, format string, arguments ...any) {
	p.write(ms, fmt.Sprintf("[rank%d]:[%c%s %s] ", rank, level, p.run.at(ms).Format("102 15:04:05.000000000"), source)+fmt.Sprintf(format, arguments...))
}

// traceback writes an exception that nobody caught. PyTorch puts the rank before each line.
func (p torchProcess) traceback(ms, rank int) {
	text := fmt.Sprintf("Traceback (most recent call last):\n"+
		"  File \"/app/train.py\", line 218, in <module>\n"+
		"    main()\n"+
		"  File \"/app/train.py\", line 171, in main\n"+
		"    loss.backward()\n"+
		"torch.distributed.DistBackendError: NCCL communicator was aborted on rank %d.", rank)
	p.write(ms, fmt.Sprintf("[rank%d]: ", rank)+strings.ReplaceAll(text, "\n", fmt.Sprintf("\n[rank%d]: ", rank)))
}

func (p torchProcess) write(ms int, text string) {
	p.run.write(torchrunLog, ms, root, StatesNothing, p.prefix+strings.ReplaceAll(text, "\n", "\n"+p.prefix))
}
