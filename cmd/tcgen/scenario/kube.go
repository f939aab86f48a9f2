// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// kube is kube-state-metrics of a cluster with 25 nodes and 200 pods of two containers each.
var kube = keptSystem{name: "kube", families: kubeFamilies()}

const kubePods = 200

func kubeFamilies() []family {
	gauges := func(labels string, values [][]string, scale float64, names string) []family {
		return alike(scrapedGauge, strings.Fields(labels), values, scale, names)
	}
	infos := func(labels string, values [][]string, names string) []family {
		return alike(scrapedInfo, strings.Fields(labels), values, 0, names)
	}
	namespaces := numbered("team-%d", 8)
	nodes := numbered("gpu-node-%d", 25)
	return slices.Concat(podFamilies(gauges, infos), kubeNodeFamilies(gauges, infos, nodes), workloadFamilies(gauges, infos),
		infos("namespace label_kubernetes_io_metadata_name", combined(namespaces, one("team")), "kube_namespace_labels"),
		gauges("namespace", namespaces, 1.7e9, "kube_namespace_created"),
		gauges("namespace phase", combined(namespaces, one("Active", "Terminating")), 1, "kube_namespace_status_phase"),
		gauges("resourcequota namespace resource type", combined(one("default"), namespaces, one("requests.cpu", "requests.memory", "requests.nvidia.com/gpu"), one("hard", "used")), 9, "kube_resourcequota"),
		gauges("poddisruptionbudget namespace", combined(numbered("app-%d", 10), one("team-0")), 9, `kube_poddisruptionbudget_created kube_poddisruptionbudget_status_current_healthy
			kube_poddisruptionbudget_status_desired_healthy kube_poddisruptionbudget_status_expected_pods kube_poddisruptionbudget_status_observed_generation
			kube_poddisruptionbudget_status_pod_disruptions_allowed`),
		infos("namespace configmap", combined(namespaces, numbered("config-%d", 10)), "kube_configmap_info"),
		infos("namespace secret", combined(namespaces, numbered("secret-%d", 6)), "kube_secret_info"),
		infos("namespace secret type", combined(namespaces, numbered("secret-%d", 6), one("Opaque")), "kube_secret_type"),
		infos("namespace service uid cluster_ip external_name external_traffic_policy load_balancer_ip", combined(namespaces, numbered("app-%d", 5), one(uuidOf(9100)), one("10.96.0.11"), one(""), one(""), one("")), "kube_service_info"),
		infos("namespace service uid type", combined(namespaces, numbered("app-%d", 5), one(uuidOf(9100)), one("ClusterIP")), "kube_service_spec_type"),
		gauges("lease namespace", combined(nodes, one("kube-node-lease")), 1.7e9, "kube_lease_renew_time"),
		infos("lease owner_kind owner_name namespace lease_holder", combined(nodes, one("Node"), one("gpu-node-0"), one("kube-node-lease"), one("gpu-node-0_"+uuidOf(9200))), "kube_lease_owner"),
		infos("storageclass provisioner reclaim_policy volume_binding_mode", [][]string{{"fast", "ebs.csi.aws.com", "Delete", "WaitForFirstConsumer"}}, "kube_storageclass_info"),
		infos("namespace persistentvolumeclaim storageclass volumename volumemode", combined(namespaces, numbered("data-%d", 4), one("fast"), one("pvc-"+uuidOf(9300)), one("Filesystem")), "kube_persistentvolumeclaim_info"),
		gauges("namespace persistentvolumeclaim", combined(namespaces, numbered("data-%d", 4)), 1e12, "kube_persistentvolumeclaim_resource_requests_storage_bytes"),
		infos("namespace persistentvolumeclaim label_app", combined(namespaces, numbered("data-%d", 4), one("app")), "kube_persistentvolumeclaim_labels"),
		infos("access_mode namespace persistentvolumeclaim", combined(one("ReadWriteOnce"), namespaces, numbered("data-%d", 4)), "kube_persistentvolumeclaim_access_mode"),
		gauges("namespace persistentvolumeclaim phase", combined(namespaces, numbered("data-%d", 4), one("Bound", "Lost", "Pending")), 1, "kube_persistentvolumeclaim_status_phase"),
		gauges("persistentvolume phase", combined(one("pvc-"+uuidOf(9300)), one("Available", "Bound", "Failed", "Pending", "Released")), 1, "kube_persistentvolume_status_phase"),
	)
}

func podFamilies(gauges func(string, [][]string, float64, string) []family, infos func(string, [][]string, string) []family) []family {
	var pods, podInfos, owners, containers, containerInfos, requests [][]string
	for pod := range kubePods {
		name, namespace := podName(pod)
		uid, node, set := uuidOf(pod), fmt.Sprintf("gpu-node-%d", pod%25), name[:strings.LastIndex(name, "-")]
		pods = append(pods, []string{namespace, name, uid})
		podInfos = append(podInfos, []string{namespace, name, uid, fmt.Sprintf("10.0.0.%d", pod%25), fmt.Sprintf("10.42.%d.%d", pod%25, pod), node, "ReplicaSet", set, "", "false"})
		owners = append(owners, []string{namespace, name, uid, "ReplicaSet", set, "true"})
		for i, container := range []string{"main", "sidecar"} {
			containers = append(containers, []string{namespace, name, uid, container})
			image := "registry.example.com/team/" + container + ":v1"
			containerInfos = append(containerInfos, []string{namespace, name, uid, container, image, image, image + "@sha256:" + hexOf(pod%5, 64), "containerd://" + hexOf(2000+2*pod+i, 64)})
			for _, resource := range [][]string{{"cpu", "core"}, {"memory", "byte"}, {"nvidia_com_gpu", "integer"}} {
				requests = append(requests, []string{namespace, name, uid, container, node, resource[0], resource[1]})
			}
		}
	}
	const pod, container = "namespace pod uid", "namespace pod uid container"
	return slices.Concat(
		infos("namespace pod uid host_ip pod_ip node created_by_kind created_by_name priority_class host_network", podInfos, "kube_pod_info"),
		infos(pod+" owner_kind owner_name owner_is_controller", owners, "kube_pod_owner"),
		infos(pod+" label_app_kubernetes_io_name", combined(pods, one("app")), "kube_pod_labels"),
		infos(pod+" ip ip_family", combined(pods, one("10.42.0.1"), one("4")), "kube_pod_ips"),
		gauges(pod, pods, 1.7e9, "kube_pod_created kube_pod_start_time kube_pod_status_scheduled_time kube_pod_status_ready_time kube_pod_status_initialized_time kube_pod_status_container_ready_time"),
		gauges(pod+" phase", combined(pods, one("Pending", "Succeeded", "Failed", "Unknown", "Running")), 1, "kube_pod_status_phase"),
		gauges(pod+" reason", combined(pods[:5], one("Evicted")), 1, "kube_pod_status_reason"),
		gauges(pod+" condition", combined(pods, one("true", "false", "unknown")), 1, "kube_pod_status_ready kube_pod_status_scheduled"),
		gauges(pod+" qos_class", combined(pods, one("BestEffort", "Burstable", "Guaranteed")), 1, "kube_pod_status_qos_class"),
		infos(pod+" type", combined(pods, one("Always")), "kube_pod_restart_policy"),
		infos(pod+" service_account", combined(pods, one("default")), "kube_pod_service_account"),
		infos(pod+" name", combined(pods, one("default-scheduler")), "kube_pod_scheduler"),
		infos(pod+" key operator effect toleration_seconds value", combined(pods, [][]string{
			{"node.kubernetes.io/not-ready", "Exists", "NoExecute", "300", ""}, {"node.kubernetes.io/unreachable", "Exists", "NoExecute", "300", ""}, {"nvidia.com/gpu", "Exists", "NoSchedule", "", ""},
		}), "kube_pod_tolerations"),
		infos(container+" image image_spec image_id container_id", containerInfos, "kube_pod_container_info"),
		gauges(container, containers, 1, `kube_pod_container_status_waiting kube_pod_container_status_running kube_pod_container_status_terminated kube_pod_container_status_ready`),
		gauges(container, containers, 1.7e9, "kube_pod_container_state_started"),
		gauges(container+" reason", combined(containers[:20], one("OOMKilled")), 1, "kube_pod_container_status_last_terminated_reason"),
		gauges(container+" reason", combined(containers[:10], one("CrashLoopBackOff")), 1, "kube_pod_container_status_waiting_reason"),
		alike(scrapedCounter, strings.Fields(container), containers, 1, "kube_pod_container_status_restarts_total"),
		gauges(container+" node resource unit", requests, 8, "kube_pod_container_resource_requests kube_pod_container_resource_limits"),
	)
}

func kubeNodeFamilies(gauges func(string, [][]string, float64, string) []family, infos func(string, [][]string, string) []family, nodes [][]string) []family {
	resources := [][]string{{"cpu", "core"}, {"memory", "byte"}, {"pods", "integer"}, {"ephemeral_storage", "byte"}, {"nvidia_com_gpu", "integer"}}
	return slices.Concat(
		infos("node kernel_version os_image container_runtime_version kubelet_version kubeproxy_version provider_id pod_cidr system_uuid internal_ip",
			combined(nodes, [][]string{{"6.8.0-60-generic", "Ubuntu 24.04.3 LTS", "containerd://2.1.3", "v1.34.1", "deprecated", "", "10.42.7.0/24", uuidOf(9000), "10.0.0.7"}}), "kube_node_info"),
		infos("node label_nvidia_com_gpu_product", combined(nodes, one("NVIDIA-H100-80GB-HBM3")), "kube_node_labels"),
		infos("node role", combined(nodes, one("worker")), "kube_node_role"),
		gauges("node", nodes, 1.7e9, "kube_node_created"),
		gauges("node", nodes, 1, "kube_node_spec_unschedulable"),
		gauges("node key value effect", combined(nodes, one("nvidia.com/gpu"), one("present"), one("NoSchedule")), 1, "kube_node_spec_taint"),
		gauges("node resource unit", combined(nodes, resources), 200, "kube_node_status_allocatable kube_node_status_capacity"),
		gauges("node condition status", combined(nodes, one("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"), one("true", "false", "unknown")), 1, "kube_node_status_condition"),
		infos("node type address", combined(nodes, one("InternalIP"), one("10.0.0.7")), "kube_node_status_addresses"),
	)
}

func workloadFamilies(gauges func(string, [][]string, float64, string) []family, infos func(string, [][]string, string) []family) []family {
	deployments := combined(one("team-0"), numbered("app-%d", kubePods/4))
	sets := [][]string{}
	for i, d := range deployments {
		sets = append(sets, []string{d[0], d[1] + "-" + hexOf(i, 9)}, []string{d[0], d[1] + "-" + hexOf(i+500, 9)})
	}
	stateful, daemons := combined(one("training"), numbered("trainer-%d", 6)), combined(one("kube-system"), one("cilium", "dcgm-exporter", "node-exporter", "otelcol-tc"))
	jobs := combined(one("training"), numbered("nightly-2939760%d", 10))
	scalers := combined(one("serving"), numbered("vllm-%d", 6))
	return slices.Concat(
		gauges("namespace deployment", deployments, 9, `kube_deployment_created kube_deployment_metadata_generation kube_deployment_spec_paused kube_deployment_spec_replicas
			kube_deployment_spec_strategy_rollingupdate_max_surge kube_deployment_spec_strategy_rollingupdate_max_unavailable kube_deployment_status_observed_generation
			kube_deployment_status_replicas kube_deployment_status_replicas_available kube_deployment_status_replicas_ready kube_deployment_status_replicas_unavailable
			kube_deployment_status_replicas_updated`),
		gauges("namespace deployment condition status reason", combined(deployments, one("Available", "Progressing"), one("true", "false", "unknown"), one("MinimumReplicasAvailable")), 1, "kube_deployment_status_condition"),
		infos("namespace deployment label_app", combined(deployments, one("app")), "kube_deployment_labels"),
		gauges("namespace replicaset", sets, 9, `kube_replicaset_created kube_replicaset_metadata_generation kube_replicaset_spec_replicas kube_replicaset_status_fully_labeled_replicas
			kube_replicaset_status_observed_generation kube_replicaset_status_ready_replicas kube_replicaset_status_replicas`),
		infos("namespace replicaset owner_kind owner_name owner_is_controller", combined(sets, one("Deployment"), one("app"), one("true")), "kube_replicaset_owner"),
		gauges("namespace statefulset", stateful, 9, `kube_statefulset_created kube_statefulset_metadata_generation kube_statefulset_replicas kube_statefulset_status_observed_generation
			kube_statefulset_status_replicas kube_statefulset_status_replicas_available kube_statefulset_status_replicas_current kube_statefulset_status_replicas_ready
			kube_statefulset_status_replicas_updated`),
		gauges("namespace statefulset revision", combined(stateful, one("trainer-"+hexOf(3, 9))), 1, "kube_statefulset_status_current_revision kube_statefulset_status_update_revision"),
		gauges("namespace daemonset", daemons, 25, `kube_daemonset_created kube_daemonset_metadata_generation kube_daemonset_status_current_number_scheduled
			kube_daemonset_status_desired_number_scheduled kube_daemonset_status_number_available kube_daemonset_status_number_misscheduled kube_daemonset_status_number_ready
			kube_daemonset_status_number_unavailable kube_daemonset_status_observed_generation kube_daemonset_status_updated_number_scheduled`),
		infos("namespace job_name", jobs, "kube_job_info"),
		infos("namespace job_name owner_kind owner_name owner_is_controller", combined(jobs, one("CronJob"), one("nightly"), one("true")), "kube_job_owner"),
		gauges("namespace job_name", jobs, 1, `kube_job_created kube_job_spec_completions kube_job_spec_parallelism kube_job_status_active kube_job_status_succeeded
			kube_job_status_start_time kube_job_status_completion_time`),
		gauges("namespace job_name reason", combined(jobs, one("BackoffLimitExceeded", "DeadlineExceeded", "Evicted")), 1, "kube_job_status_failed"),
		gauges("namespace job_name condition", combined(jobs, one("true", "false", "unknown")), 1, "kube_job_complete kube_job_failed"),
		gauges("namespace cronjob", combined(one("training"), one("nightly")), 1.7e9, "kube_cronjob_created kube_cronjob_next_schedule_time kube_cronjob_status_active kube_cronjob_status_last_schedule_time kube_cronjob_spec_suspend"),
		gauges("namespace horizontalpodautoscaler", scalers, 9, `kube_horizontalpodautoscaler_metadata_generation kube_horizontalpodautoscaler_spec_max_replicas
			kube_horizontalpodautoscaler_spec_min_replicas kube_horizontalpodautoscaler_status_current_replicas kube_horizontalpodautoscaler_status_desired_replicas`),
		gauges("namespace horizontalpodautoscaler metric_name metric_target_type", combined(scalers, one("vllm:num_requests_waiting"), one("average")), 9, "kube_horizontalpodautoscaler_spec_target_metric"),
		gauges("namespace horizontalpodautoscaler condition status", combined(scalers, one("AbleToScale", "ScalingActive", "ScalingLimited"), one("true", "false", "unknown")), 1, "kube_horizontalpodautoscaler_status_condition"),
	)
}
