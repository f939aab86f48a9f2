// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// dcgm is dcgm-exporter on a node with eight GPUs: six with a pod of their own, one in two MIG instances, one
// without work. The fields are those of etc/default-counters.csv, with those that are commented out there.
var dcgm = keptSystem{name: "dcgm", families: dcgmFamilies(), next: nextDCGM}

var (
	gpuLabels = strings.Fields("gpu UUID pci_bus_id device modelName GPU_I_PROFILE GPU_I_ID Hostname DCGM_FI_DRIVER_VERSION container namespace pod hpc_job")
	gpus      = gpuValues()
	// An XID has these besides.
	xidLabels = append(slices.Clone(gpuLabels), "err_code", "err_msg")
)

func gpuValues() [][]string {
	var values [][]string
	add := func(gpu int, profile, instance string, work ...string) {
		values = append(values, append([]string{
			strconv.Itoa(gpu), "GPU-" + uuidOf(gpu), fmt.Sprintf("00000000:%02X:00.0", 0x1b+gpu*0x10), fmt.Sprintf("nvidia%d", gpu),
			"NVIDIA H100 80GB HBM3", profile, instance, "gpu-node-7", "580.95.05",
		}, work...))
	}
	for gpu := range 4 {
		add(gpu, "", "", "trainer", "training", fmt.Sprintf("llama-pretrain-worker-%d", gpu), "48121")
	}
	for gpu := 4; gpu < 6; gpu++ {
		add(gpu, "", "", "vllm", "serving", "vllm-qwen3-7d9f8b6c5-"+hexOf(gpu, 5), "")
	}
	for instance := range 2 {
		add(6, "3g.40gb", strconv.Itoa(instance+1), "notebook", "research", fmt.Sprintf("jupyter-%d", instance), "")
	}
	add(7, "", "", "", "", "", "")
	return values
}

func dcgmFamilies() []family {
	gauges := func(scale float64, names string) []family { return alike(scrapedGauge, gpuLabels, gpus, scale, names) }
	counters := func(scale float64, names string) []family {
		return alike(scrapedCounter, gpuLabels, gpus, scale, names)
	}
	// With labels of their own between the GPU's.
	with := func(kind familyKind, name string, labels []string, scale float64, values ...[]string) []family {
		return alike(kind, slices.Concat(gpuLabels, labels), combined(gpus, values), scale, name)
	}
	return slices.Concat(
		gauges(1980, "DCGM_FI_DEV_SM_CLOCK DCGM_FI_DEV_MEM_CLOCK"),
		gauges(70, "DCGM_FI_DEV_MEMORY_TEMP DCGM_FI_DEV_GPU_TEMP"),
		gauges(700, "DCGM_FI_DEV_POWER_USAGE"),
		counters(5e6, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"),
		counters(2, "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"),
		gauges(100, "DCGM_FI_DEV_GPU_UTIL DCGM_FI_DEV_MEM_COPY_UTIL DCGM_FI_DEV_ENC_UTIL DCGM_FI_DEV_DEC_UTIL"),
		alike(scrapedGauge, xidLabels, nil, 0, "DCGM_FI_DEV_XID_ERRORS"),
		counters(2e6, `DCGM_FI_DEV_POWER_VIOLATION DCGM_FI_DEV_THERMAL_VIOLATION DCGM_FI_DEV_SYNC_BOOST_VIOLATION
			DCGM_FI_DEV_BOARD_LIMIT_VIOLATION DCGM_FI_DEV_LOW_UTIL_VIOLATION DCGM_FI_DEV_RELIABILITY_VIOLATION`),
		gauges(40000, "DCGM_FI_DEV_FB_FREE DCGM_FI_DEV_FB_USED"),
		gauges(600, "DCGM_FI_DEV_FB_RESERVED"),
		counters(1, "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL DCGM_FI_DEV_ECC_DBE_VOL_TOTAL DCGM_FI_DEV_ECC_SBE_AGG_TOTAL DCGM_FI_DEV_ECC_DBE_AGG_TOTAL"),
		counters(1, "DCGM_FI_DEV_RETIRED_SBE DCGM_FI_DEV_RETIRED_DBE DCGM_FI_DEV_RETIRED_PENDING"),
		counters(1, `DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL
			DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL`),
		counters(9000, "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL DCGM_FI_DEV_NVLINK_BANDWIDTH_L0"),
		gauges(1, "DCGM_FI_DEV_VGPU_LICENSE_STATUS"),
		counters(1, "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"),
		gauges(1, "DCGM_FI_DEV_ROW_REMAP_FAILURE"),
		gauges(1, `DCGM_FI_PROF_GR_ENGINE_ACTIVE DCGM_FI_PROF_SM_ACTIVE DCGM_FI_PROF_SM_OCCUPANCY DCGM_FI_PROF_PIPE_TENSOR_ACTIVE
			DCGM_FI_PROF_DRAM_ACTIVE DCGM_FI_PROF_PIPE_FP64_ACTIVE DCGM_FI_PROF_PIPE_FP32_ACTIVE DCGM_FI_PROF_PIPE_FP16_ACTIVE`),
		gauges(6e10, "DCGM_FI_PROF_PCIE_TX_BYTES DCGM_FI_PROF_PCIE_RX_BYTES"),
		with(scrapedCounter, "DCGM_EXP_CLOCK_EVENTS_COUNT", []string{"clock_event", "window_size_in_ms"}, 1, []string{"gpu_idle", "300000"}, []string{"power_cap", "300000"}),
	)
}

// nextDCGM sets the last XID of each GPU, which stays until the driver is loaded again. It is the value, and a label.
func nextDCGM(run *keptRun) {
	for _, gpu := range gpus {
		code, text := 0, "No Error"
		if gpu[0] == "5" {
			code, text = 31, "GPU memory page fault"
		}
		run.metrics.set("DCGM_FI_DEV_XID_ERRORS", float64(code), append(slices.Clone(gpu), strconv.Itoa(code), text)...)
	}
}
