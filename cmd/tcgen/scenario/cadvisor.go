// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// cadvisor is the kubelet's /metrics/cadvisor of a node with 100 pods of two containers and a sandbox each.
var cadvisor = keptSystem{name: "cadvisor", families: cadvisorFamilies()}

var containerLabels = strings.Fields("id name image pod namespace container")

// cgroups are the label values of the cgroups of a node: those above pods, then each pod's own, its sandbox and its
// containers. Only id tells them apart where they have no names.
func cgroups() (all, containers, sandboxes [][]string) {
	for _, id := range strings.Fields("/ /kubepods.slice /kubepods.slice/kubepods-burstable.slice /kubepods.slice/kubepods-besteffort.slice /system.slice /system.slice/kubelet.service /system.slice/containerd.service") {
		all = append(all, []string{id, "", "", "", "", ""})
	}
	for pod := range 100 {
		slice := "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + strings.ReplaceAll(uuidOf(pod), "-", "_") + ".slice"
		podName, namespace := podName(pod)
		group := func(id, name, image, container string) []string {
			return []string{id, name, image, podName, namespace, container}
		}
		all = append(all, group(slice, "", "", ""))
		sandbox := hexOf(1000+pod, 64)
		sandboxes = append(sandboxes, group(slice+"/cri-containerd-"+sandbox+".scope", sandbox, "registry.k8s.io/pause:3.10", ""))
		for i, container := range []string{"main", "sidecar"} {
			id := hexOf(2000+2*pod+i, 64)
			containers = append(containers, group(slice+"/cri-containerd-"+id+".scope", id, "registry.example.com/team/"+container+":v1."+fmt.Sprint(pod%5), container))
		}
	}
	return slices.Concat(all, sandboxes, containers), containers, sandboxes
}

// podName returns the name and the namespace of a pod of a deployment.
func podName(pod int) (name, namespace string) {
	return fmt.Sprintf("app-%d-%s-%s", pod/4, hexOf(pod/4, 9), hexOf(pod, 5)), fmt.Sprintf("team-%d", pod%8)
}

func cadvisorFamilies() []family {
	all, containers, sandboxes := cgroups()
	with := func(labels string) []string { return slices.Concat(containerLabels, strings.Fields(labels)) }
	gauges := func(labels string, values [][]string, scale float64, names string) []family {
		return alike(scrapedGauge, with(labels), values, scale, names)
	}
	counters := func(labels string, values [][]string, scale float64, names string) []family {
		return alike(scrapedCounter, with(labels), values, scale, names)
	}
	disks := one("/dev/nvme0n1", "/dev/nvme1n1")
	machine := []string{hexOf(1, 32), uuidOf(9000), uuidOf(9001)}
	machines := func(labels string, values [][]string, scale float64, names string) []family {
		return alike(scrapedGauge, append(strings.Fields(labels), "machine_id", "system_uuid", "boot_id"), combined(values, [][]string{machine}), scale, names)
	}
	return slices.Concat(
		alike(scrapedInfo, strings.Fields("cadvisorRevision cadvisorVersion dockerVersion kernelVersion osVersion"), [][]string{{"", "", "", "6.8.0-60-generic", "Ubuntu 24.04.3 LTS"}}, 0, "cadvisor_version_info"),
		counters("cpu", combined(all, one("total")), 10, "container_cpu_usage_seconds_total"),
		counters("", all, 10, `container_cpu_user_seconds_total container_cpu_system_seconds_total container_pressure_cpu_stalled_seconds_total
			container_pressure_cpu_waiting_seconds_total container_pressure_memory_stalled_seconds_total container_pressure_memory_waiting_seconds_total
			container_pressure_io_stalled_seconds_total container_pressure_io_waiting_seconds_total`),
		counters("", containers, 10, "container_cpu_cfs_periods_total container_cpu_cfs_throttled_periods_total container_cpu_cfs_throttled_seconds_total"),
		gauges("", all, 1e9, `container_memory_cache container_memory_rss container_memory_mapped_file container_memory_swap container_memory_usage_bytes
			container_memory_max_usage_bytes container_memory_working_set_bytes container_memory_kernel_usage container_memory_total_active_file_bytes
			container_memory_total_inactive_file_bytes`),
		counters("", all, 2, "container_memory_failcnt container_oom_events_total"),
		counters("failure_type scope", combined(all, one("pgfault", "pgmajfault"), one("container", "hierarchy")), 90, "container_memory_failures_total"),
		counters("device", combined(all, disks), 1e6, "container_fs_reads_bytes_total container_fs_reads_total container_fs_writes_bytes_total container_fs_writes_total"),
		counters("device major minor operation", combined(containers, disks, one("259"), one("0"), one("Read", "Write")), 1e6, "container_blkio_device_usage_total"),
		gauges("device", combined(all[:1], disks), 1e9, "container_fs_inodes_free container_fs_inodes_total container_fs_limit_bytes container_fs_usage_bytes"),
		counters("interface", combined(sandboxes, one("eth0")), 1e6, `container_network_receive_bytes_total container_network_receive_packets_total
			container_network_receive_packets_dropped_total container_network_receive_errors_total container_network_transmit_bytes_total
			container_network_transmit_packets_total container_network_transmit_packets_dropped_total container_network_transmit_errors_total`),
		gauges("", all, 1.7e9, "container_last_seen container_start_time_seconds"),
		gauges("", all, 900, "container_processes container_sockets container_threads container_threads_max container_file_descriptors"),
		gauges("", all, 1e5, `container_spec_cpu_period container_spec_cpu_shares container_spec_memory_limit_bytes container_spec_memory_reservation_limit_bytes
			container_spec_memory_swap_limit_bytes`),
		gauges("", containers, 1e5, "container_spec_cpu_quota"),
		gauges("ulimit", combined(containers, one("max_open_files")), 1e5, "container_ulimits_soft"),
		gauges("state", combined(containers, one("sleeping", "running", "stopped", "uninterruptible", "iowaiting")), 9, "container_tasks_state"),
		alike(scrapedGauge, nil, unlabelled, 1, "container_scrape_error"),
		machines("", unlabelled, 64, "machine_cpu_cores machine_cpu_physical_cores machine_cpu_sockets"),
		machines("", unlabelled, 1e12, "machine_memory_bytes machine_swap_bytes"),
		machines("node_id", one("0", "1"), 1e12, "machine_node_memory_capacity_bytes"),
		machines("node_id page_size", combined(one("0", "1"), one("2048", "1048576")), 9, "machine_node_hugepages_count"),
		machines("node_id target_node_id", combined(one("0", "1"), one("0", "1")), 20, "machine_node_distance"),
	)
}
