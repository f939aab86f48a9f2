// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"strings"
)

// node is node_exporter with the collectors that are on by default, on a node with 64 CPUs, eight disks, four network
// interfaces and those of its pods, and eight InfiniBand ports. netstat and vmstat are untyped there, which a scrape
// reads as gauges.
var node = keptSystem{name: "node", families: nodeFamilies()}

func nodeFamilies() []family {
	var (
		none       []string
		cpus       = numbered("%d", 64)
		cores      = combined(numbered("%d", 16), one("0", "1"))
		disks      = append(numbered("nvme%dn1", 8), []string{"dm-0"})
		interfaces = append(append(one("lo", "bond0"), numbered("eth%d", 4)...), podInterfaces()...)
		ports      = combined(numbered("mlx5_%d", 8), one("1"))
		gauges     = func(labels string, values [][]string, scale float64, names string) []family {
			return alike(scrapedGauge, strings.Fields(labels), values, scale, names)
		}
		counters = func(labels string, values [][]string, scale float64, names string) []family {
			return alike(scrapedCounter, strings.Fields(labels), values, scale, names)
		}
		infos = func(labels string, values [][]string, names string) []family {
			return alike(scrapedInfo, strings.Fields(labels), values, 0, names)
		}
		mounts [][]string
	)
	mounts = append(mounts, []string{"/dev/nvme0n1p2", "/", "ext4", ""}, []string{"/dev/mapper/data", "/var/lib/containerd", "xfs", ""}, []string{"10.0.9.1:/models", "/models", "nfs4", ""}, []string{"tmpfs", "/run", "tmpfs", ""})
	// Volumes of pods: the mount point has the uid of one.
	for pod := range 20 {
		mounts = append(mounts, []string{"tmpfs", "/var/lib/kubelet/pods/" + uuidOf(pod) + "/volumes/kubernetes.io~projected/kube-api-access-" + hexOf(pod, 5), "tmpfs", ""})
	}
	return slices.Concat(
		gauges("device", interfaces, 40, "node_arp_entries"),
		gauges("master", one("bond0"), 2, "node_bonding_active node_bonding_slaves"),
		gauges("", unlabelled, 1.7e9, "node_boot_time_seconds node_time_seconds"),
		counters("", unlabelled, 9000, "node_context_switches_total node_forks_total node_intr_total"),
		gauges("", unlabelled, 30, "node_procs_running node_procs_blocked node_load1 node_load5 node_load15"),
		counters("cpu mode", combined(cpus, one("idle", "iowait", "irq", "nice", "softirq", "steal", "system", "user")), 10, "node_cpu_seconds_total"),
		counters("cpu mode", combined(cpus, one("nice", "user")), 1, "node_cpu_guest_seconds_total"),
		counters("core package", cores, 2, "node_cpu_core_throttles_total"),
		counters("package", one("0", "1"), 2, "node_cpu_package_throttles_total"),
		gauges("cpu", cpus, 3.8e9, "node_cpu_scaling_frequency_hertz node_cpu_scaling_frequency_max_hertz node_cpu_scaling_frequency_min_hertz"),
		infos("cpu governor", combined(cpus, one("performance")), "node_cpu_scaling_governor"),
		counters("cpu", cpus, 5, "node_schedstat_running_seconds_total node_schedstat_waiting_seconds_total node_schedstat_timeslices_total"),
		counters("cpu", cpus, 100, `node_softnet_processed_total node_softnet_dropped_total node_softnet_times_squeezed_total
			node_softnet_received_rps_total node_softnet_flow_limit_count_total node_softnet_cpu_collision_total`),
		gauges("cpu", cpus, 3, "node_softnet_backlog_len"),
		counters("device", disks, 1e6, `node_disk_read_bytes_total node_disk_written_bytes_total node_disk_reads_completed_total node_disk_writes_completed_total
			node_disk_reads_merged_total node_disk_writes_merged_total node_disk_discarded_sectors_total node_disk_discards_completed_total
			node_disk_discards_merged_total node_disk_flush_requests_total`),
		counters("device", disks, 1, `node_disk_io_time_seconds_total node_disk_io_time_weighted_seconds_total node_disk_read_time_seconds_total
			node_disk_write_time_seconds_total node_disk_discard_time_seconds_total node_disk_flush_requests_time_seconds_total`),
		gauges("device", disks, 8, "node_disk_io_now"),
		infos("device major minor model path revision rotational serial wwn", diskInfos(disks), "node_disk_info"),
		infos("bios_date board_name product_name product_uuid system_vendor", [][]string{{"04/12/2025", "07PXPY", "PowerEdge XE9680", uuidOf(9000), "Dell Inc."}}, "node_dmi_info"),
		counters("controller", numbered("%d", 4), 1, "node_edac_correctable_errors_total node_edac_uncorrectable_errors_total"),
		counters("controller csrow", combined(numbered("%d", 4), numbered("%d", 2)), 1, "node_edac_csrow_correctable_errors_total node_edac_csrow_uncorrectable_errors_total"),
		gauges("", unlabelled, 256, "node_entropy_available_bits node_entropy_pool_size_bits"),
		gauges("", unlabelled, 9000, "node_filefd_allocated node_filefd_maximum"),
		gauges("device mountpoint fstype device_error", mounts, 3e12, "node_filesystem_size_bytes node_filesystem_free_bytes node_filesystem_avail_bytes"),
		gauges("device mountpoint fstype device_error", mounts, 3e8, "node_filesystem_files node_filesystem_files_free"),
		gauges("device mountpoint fstype device_error", mounts, 1, "node_filesystem_readonly node_filesystem_device_error"),
		infos("chip chip_name", [][]string{{"platform_coretemp_0", "coretemp"}, {"platform_coretemp_1", "coretemp"}, {"nvme_nvme0", "nvme"}}, "node_hwmon_chip_names"),
		gauges("chip sensor", combined(one("platform_coretemp_0", "platform_coretemp_1"), numbered("temp%d", 17)), 70,
			"node_hwmon_temp_celsius node_hwmon_temp_crit_hyst_celsius node_hwmon_temp_crit_celsius node_hwmon_temp_max_celsius node_hwmon_temp_crit_alarm_celsius"),
		gauges("chip sensor", combined(one("platform_ipmi_0"), numbered("fan%d", 12)), 9000, "node_hwmon_fan_rpm node_hwmon_fan_min_rpm"),
		infos("chip label sensor", combined(one("platform_coretemp_0"), one("package_id_0"), one("temp1")), "node_hwmon_sensor_label"),
		infos("board_id device firmware_version hca_type", combined(one("MT_0000000838"), numbered("mlx5_%d", 8), one("28.43.2026"), one("MT4129")), "node_infiniband_info"),
		counters("device port", ports, 1e6, `node_infiniband_port_data_received_bytes_total node_infiniband_port_data_transmitted_bytes_total
			node_infiniband_port_packets_received_total node_infiniband_port_packets_transmitted_total node_infiniband_link_downed_total
			node_infiniband_link_error_recovery_total node_infiniband_port_errors_received_total node_infiniband_port_transmit_wait_total
			node_infiniband_port_discards_received_total node_infiniband_port_discards_transmitted_total node_infiniband_multicast_packets_received_total
			node_infiniband_multicast_packets_transmitted_total node_infiniband_unicast_packets_received_total node_infiniband_unicast_packets_transmitted_total
			node_infiniband_port_constraint_errors_received_total node_infiniband_port_constraint_errors_transmitted_total`),
		gauges("device port", ports, 5e10, "node_infiniband_rate_bytes_per_second node_infiniband_state_id node_infiniband_physical_state_id"),
		counters("", unlabelled, 1, "node_kernel_hung_tasks_total"),
		gauges("device", one("md0"), 1e9, "node_md_blocks node_md_blocks_synced node_md_degraded node_md_disks_required node_md_raid_disks"),
		gauges("device state", combined(one("md0"), one("active", "failed", "spare")), 8, "node_md_disks"),
		gauges("device state", combined(one("md0"), one("active", "check", "inactive", "recovering", "resync")), 1, "node_md_state"),
		gauges("", unlabelled, 2e12, `node_memory_Active_anon_bytes node_memory_Active_bytes node_memory_Active_file_bytes node_memory_AnonHugePages_bytes node_memory_AnonPages_bytes
			node_memory_Bounce_bytes node_memory_Buffers_bytes node_memory_Cached_bytes node_memory_CommitLimit_bytes node_memory_Committed_AS_bytes
			node_memory_DirectMap1G_bytes node_memory_DirectMap2M_bytes node_memory_DirectMap4k_bytes node_memory_Dirty_bytes node_memory_HardwareCorrupted_bytes
			node_memory_HugePages_Free node_memory_HugePages_Rsvd node_memory_HugePages_Surp node_memory_HugePages_Total node_memory_Hugepagesize_bytes
			node_memory_Inactive_anon_bytes node_memory_Inactive_bytes node_memory_Inactive_file_bytes node_memory_KernelStack_bytes node_memory_Mapped_bytes
			node_memory_MemAvailable_bytes node_memory_MemFree_bytes node_memory_MemTotal_bytes node_memory_Mlocked_bytes node_memory_NFS_Unstable_bytes
			node_memory_PageTables_bytes node_memory_Percpu_bytes node_memory_SReclaimable_bytes node_memory_SUnreclaim_bytes node_memory_Shmem_bytes
			node_memory_ShmemHugePages_bytes node_memory_ShmemPmdMapped_bytes node_memory_Slab_bytes node_memory_SwapCached_bytes node_memory_SwapFree_bytes
			node_memory_SwapTotal_bytes node_memory_Unevictable_bytes node_memory_VmallocChunk_bytes node_memory_VmallocTotal_bytes
			node_memory_VmallocUsed_bytes node_memory_WritebackTmp_bytes node_memory_Writeback_bytes node_memory_Zswap_bytes node_memory_Zswapped_bytes`),
		gauges("", unlabelled, 9000, `node_netstat_Icmp6_InErrors node_netstat_Icmp6_InMsgs node_netstat_Icmp6_OutMsgs node_netstat_Icmp_InErrors node_netstat_Icmp_InMsgs
			node_netstat_Icmp_OutMsgs node_netstat_Ip6_InOctets node_netstat_Ip6_OutOctets node_netstat_IpExt_InOctets node_netstat_IpExt_OutOctets node_netstat_Ip_Forwarding
			node_netstat_TcpExt_ListenDrops node_netstat_TcpExt_ListenOverflows node_netstat_TcpExt_SyncookiesFailed node_netstat_TcpExt_SyncookiesRecv
			node_netstat_TcpExt_SyncookiesSent node_netstat_TcpExt_TCPOFOQueue node_netstat_TcpExt_TCPRcvQDrop node_netstat_TcpExt_TCPTimeouts node_netstat_TcpExt_TCPSynRetrans node_netstat_Tcp_MaxConn node_netstat_Tcp_ActiveOpens
			node_netstat_Tcp_CurrEstab node_netstat_Tcp_InErrs node_netstat_Tcp_InSegs node_netstat_Tcp_OutRsts node_netstat_Tcp_OutSegs node_netstat_Tcp_PassiveOpens
			node_netstat_Tcp_RetransSegs node_netstat_Udp6_InDatagrams node_netstat_Udp6_InErrors node_netstat_Udp6_NoPorts node_netstat_Udp6_OutDatagrams
			node_netstat_Udp6_RcvbufErrors node_netstat_Udp6_SndbufErrors node_netstat_UdpLite6_InErrors node_netstat_UdpLite_InErrors node_netstat_Udp_InDatagrams
			node_netstat_Udp_InErrors node_netstat_Udp_NoPorts node_netstat_Udp_OutDatagrams node_netstat_Udp_RcvbufErrors node_netstat_Udp_SndbufErrors`),
		counters("device", interfaces, 1e6, `node_network_receive_bytes_total node_network_receive_packets_total node_network_receive_errs_total node_network_receive_drop_total
			node_network_receive_fifo_total node_network_receive_frame_total node_network_receive_compressed_total node_network_receive_multicast_total
			node_network_receive_nohandler_total node_network_transmit_bytes_total node_network_transmit_packets_total node_network_transmit_errs_total
			node_network_transmit_drop_total node_network_transmit_fifo_total node_network_transmit_colls_total node_network_transmit_carrier_total
			node_network_transmit_compressed_total node_network_carrier_changes_total node_network_carrier_up_changes_total node_network_carrier_down_changes_total`),
		gauges("device", interfaces, 9000, `node_network_up node_network_carrier node_network_mtu_bytes node_network_speed_bytes node_network_address_assign_type
			node_network_device_id node_network_dormant node_network_flags node_network_iface_id node_network_iface_link node_network_iface_link_mode
			node_network_name_assign_type node_network_net_dev_group node_network_protocol_type node_network_transmit_queue_length`),
		infos("address adminstate broadcast device duplex ifalias operstate", interfaceInfos(interfaces), "node_network_info"),
		gauges("", unlabelled, 9000, `node_nf_conntrack_entries node_nf_conntrack_entries_limit node_nf_conntrack_stat_drop node_nf_conntrack_stat_early_drop node_nf_conntrack_stat_found
			node_nf_conntrack_stat_ignore node_nf_conntrack_stat_insert node_nf_conntrack_stat_insert_failed node_nf_conntrack_stat_invalid node_nf_conntrack_stat_search_restart`),
		counters("", unlabelled, 90, "node_nfs_connections_total node_nfs_rpcs_total node_nfs_rpc_retransmissions_total node_nfs_rpc_authentication_refreshes_total"),
		counters("protocol", one("tcp", "udp"), 90, "node_nfs_packets_total"),
		counters("method proto", combined(one("Access", "Close", "Create", "FsInfo", "GetAttr", "Lookup", "Null", "Open", "Read", "Write"), one("3", "4")), 9, "node_nfs_requests_total"),
		infos("cntlid device firmware_revision model serial state", nvmeInfos(8), "node_nvme_info"),
		infos("id id_like name pretty_name version version_codename version_id", [][]string{{"ubuntu", "debian", "Ubuntu", "Ubuntu 24.04.3 LTS", "24.04.3 LTS (Noble Numbat)", "noble", "24.04"}}, "node_os_info"),
		gauges("id id_like name", [][]string{{"ubuntu", "debian", "Ubuntu"}}, 25, "node_os_version"),
		counters("", unlabelled, 1, `node_pressure_cpu_waiting_seconds_total node_pressure_io_stalled_seconds_total node_pressure_io_waiting_seconds_total
			node_pressure_irq_stalled_seconds_total node_pressure_memory_stalled_seconds_total node_pressure_memory_waiting_seconds_total`),
		counters("index path", combined(one("0", "1"), one("package")), 400, "node_rapl_package_joules_total node_rapl_core_joules_total"),
		gauges("collector", one(strings.Fields("arp bonding conntrack cpu cpufreq diskstats dmi edac entropy filefd filesystem hwmon infiniband kernel_hung loadavg mdadm meminfo netclass netdev netstat nfs nvme os pressure rapl schedstat selinux sockstat softnet stat textfile thermal_zone time timex udp_queues uname vmstat")...), 1,
			"node_scrape_collector_duration_seconds node_scrape_collector_success"),
		gauges("", unlabelled, 1, "node_selinux_enabled node_textfile_scrape_error"),
		gauges("", unlabelled, 900, `node_sockstat_FRAG6_inuse node_sockstat_FRAG6_memory node_sockstat_FRAG_inuse node_sockstat_FRAG_memory node_sockstat_RAW6_inuse node_sockstat_RAW_inuse
			node_sockstat_TCP6_inuse node_sockstat_TCP_alloc node_sockstat_TCP_inuse node_sockstat_TCP_mem node_sockstat_TCP_mem_bytes node_sockstat_TCP_orphan node_sockstat_TCP_tw
			node_sockstat_UDP6_inuse node_sockstat_UDPLITE6_inuse node_sockstat_UDPLITE_inuse node_sockstat_UDP_inuse node_sockstat_UDP_mem node_sockstat_UDP_mem_bytes node_sockstat_sockets_used`),
		gauges("file", one("/var/lib/node_exporter/nvme.prom"), 1.7e9, "node_textfile_mtime_seconds"),
		gauges("type zone", combined(one("x86_pkg_temp"), one("0", "1")), 70, "node_thermal_zone_temp"),
		gauges("name type", combined(numbered("%d", 64), one("Processor")), 3, "node_cooling_device_cur_state node_cooling_device_max_state"),
		infos("clocksource device", [][]string{{"tsc", "0"}, {"hpet", "0"}}, "node_time_clocksource_available_info"),
		infos("clocksource device", [][]string{{"tsc", "0"}}, "node_time_clocksource_current_info"),
		gauges("time_zone", one("UTC"), 1, "node_time_zone_offset_seconds"),
		gauges("", unlabelled, 1, `node_timex_estimated_error_seconds node_timex_frequency_adjustment_ratio node_timex_loop_time_constant node_timex_maxerror_seconds node_timex_offset_seconds
			node_timex_pps_frequency_hertz node_timex_pps_jitter_seconds node_timex_pps_shift_seconds node_timex_pps_stability_hertz node_timex_status node_timex_sync_status
			node_timex_tai_offset_seconds node_timex_tick_seconds`),
		counters("", unlabelled, 1, "node_timex_pps_calibration_total node_timex_pps_error_total node_timex_pps_jitter_total node_timex_pps_stability_exceeded_total"),
		gauges("ip queue", combined(one("v4", "v6"), one("rx", "tx")), 2, "node_udp_queues"),
		infos("domainname machine nodename release sysname version", [][]string{{"(none)", "x86_64", "gpu-node-7", "6.8.0-60-generic", "Linux", "#63-Ubuntu SMP PREEMPT_DYNAMIC"}}, "node_uname_info"),
		gauges("", unlabelled, 9000, "node_vmstat_oom_kill node_vmstat_pgfault node_vmstat_pgmajfault node_vmstat_pgpgin node_vmstat_pgpgout node_vmstat_pswpin node_vmstat_pswpout"),
		infos("branch goarch goos goversion revision tags version", [][]string{{"HEAD", "amd64", "linux", "go1.26.4", "a7dcc3a01545180d4f2087db70994cbc3abfed13", "unknown", "1.12.1"}}, "node_exporter_build_info"),
		alike(scrapedCounter, none, unlabelled, 1, "process_cpu_seconds_total"),
		alike(scrapedGauge, none, unlabelled, 9000, "process_open_fds process_max_fds process_resident_memory_bytes process_start_time_seconds process_virtual_memory_bytes process_virtual_memory_max_bytes"),
		counters("code", one("200", "500", "503"), 1, "promhttp_metric_handler_requests_total"),
		gauges("", unlabelled, 1, "promhttp_metric_handler_requests_in_flight"),
	)
}

// podInterfaces are the network interfaces of pods, whose names are ids.
func podInterfaces() [][]string {
	var names [][]string
	for pod := range 40 {
		names = append(names, []string{"cali" + hexOf(pod, 11)})
	}
	return names
}

func diskInfos(disks [][]string) [][]string {
	var infos [][]string
	for i, disk := range disks {
		infos = append(infos, []string{disk[0], "259", hexOf(i, 1), "SAMSUNG MZQL23T8HCLS-00A07", "pci-0000:0" + hexOf(i, 1) + ":00.0-nvme-1", "GDC5602Q", "0", "S64HNE0T50" + hexOf(i, 4), "eui.3634483054501234002538" + hexOf(i, 8)})
	}
	return infos
}

func interfaceInfos(interfaces [][]string) [][]string {
	var infos [][]string
	for i, device := range interfaces {
		infos = append(infos, []string{"ee:ee:ee:" + hexOf(i, 2) + ":" + hexOf(i+1, 2) + ":" + hexOf(i+2, 2), "up", "ff:ff:ff:ff:ff:ff", device[0], "full", "", "up"})
	}
	return infos
}

func nvmeInfos(count int) [][]string {
	var infos [][]string
	for i, device := range numbered("nvme%d", count) {
		infos = append(infos, []string{"0", device[0], "GDC5602Q", "SAMSUNG MZQL23T8HCLS-00A07", "S64HNE0T50" + hexOf(i, 4), "live"})
	}
	return infos
}
