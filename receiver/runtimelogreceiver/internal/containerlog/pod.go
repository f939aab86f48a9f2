// SPDX-License-Identifier: Apache-2.0

package containerlog

import "regexp"

// podPath matches the log of a container's n-th run as the kubelet names it, and rotated logs,
// compressed or not.
var podPath = regexp.MustCompile(`[/\\]([^_/\\]+)_([^_/\\]+)_([a-f0-9-]+)[/\\]([^._/\\]+)[/\\](\d+)\.log(?:\.\d{8}-\d{6}(?:\.gz)?)?$`)

// podKeys are the resource attributes of podPath's groups.
var podKeys = [...]string{"k8s.namespace.name", "k8s.pod.name", "k8s.pod.uid", "k8s.container.name", "k8s.container.restart_count"}

// Pod returns the resource attributes of a container from its log's path, or nil if the kubelet
// did not name the path.
func Pod(path string) map[string]string {
	groups := podPath.FindStringSubmatch(path)
	if groups == nil {
		return nil
	}
	attributes := make(map[string]string, len(podKeys))
	for i, key := range podKeys {
		attributes[key] = groups[i+1]
	}
	return attributes
}
