package containerlog

import "regexp"

// podPath is where the kubelet puts the log of a container's n-th run, and those rotated.
var podPath = regexp.MustCompile(`[/\\]([^_/\\]+)_([^_/\\]+)_([a-f0-9-]+)[/\\]([^._/\\]+)[/\\](\d+)\.log(?:\.\d{8}-\d{6})?$`)

// podKeys are the resource attributes that the groups of podPath state.
var podKeys = [...]string{"k8s.namespace.name", "k8s.pod.name", "k8s.pod.uid", "k8s.container.name", "k8s.container.restart_count"}

// Pod returns the resource attributes of a container by its log's path, or nil for a path
// that is none of the kubelet's.
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
