// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/containerlog"
)

// pathRule is the resource attributes of files whose path matches.
type pathRule struct {
	match      *regexp.Regexp
	keys       []string // of the pattern's groups
	attributes map[string]string
}

// wildcards match the special parts of a path pattern.
var wildcards = regexp.MustCompile(`\*\*|\*|\{[^{}]*\}`)

func newPathRule(item PathsItem) (*pathRule, error) {
	rule := &pathRule{attributes: item.Attributes}
	var expression strings.Builder
	expression.WriteString(`(?s)`) // names may have newlines
	if !strings.HasPrefix(item.Match, "/") {
		expression.WriteString(`(?:^|/)`)
	} else {
		expression.WriteByte('^')
	}
	end := 0
	for _, place := range wildcards.FindAllStringIndex(item.Match, -1) {
		expression.WriteString(regexp.QuoteMeta(item.Match[end:place[0]]))
		end = place[1]
		switch wildcard := item.Match[place[0]:end]; wildcard {
		case "**":
			expression.WriteString(`.*`)
		case "*":
			expression.WriteString(`[^/]*`)
		case "{}":
			return nil, fmt.Errorf("must name an attribute in {} (got %q)", item.Match)
		default:
			key := wildcard[1 : len(wildcard)-1]
			if slices.Contains(rule.keys, key) {
				return nil, fmt.Errorf("must name {%s} once (got %q)", key, item.Match)
			}
			rule.keys = append(rule.keys, key)
			expression.WriteString(`([^/]+?)`)
		}
	}
	expression.WriteString(regexp.QuoteMeta(item.Match[end:]))
	expression.WriteByte('$')
	var err error
	rule.match, err = regexp.Compile(expression.String())
	return rule, err
}

// attributesOf returns the attributes of a file by key, or nil if its path does not match.
func (r *pathRule) attributesOf(path string) map[string]string {
	groups := r.match.FindStringSubmatch(path)
	if groups == nil {
		return nil
	}
	found := make(map[string]string, len(r.keys)+len(r.attributes))
	maps.Copy(found, r.attributes)
	for i, key := range r.keys {
		found[key] = groups[i+1]
	}
	return found
}

// resources are the rules for the resource attributes of files.
type resources struct {
	common  map[string]string
	rules   []*pathRule
	pods    bool   // derive attributes from the log paths of pods
	podLogs string // the kubelet's directory of pods' logs, if it names pods
}

// The attributes of a pod, whichever setting they come from.
const (
	podKey          = "k8s.pod.uid"
	podNameKey      = "k8s.pod.name"
	podNamespaceKey = "k8s.namespace.name"
)

func newResources(cfg *Config) (*resources, error) {
	r := &resources{common: cfg.Resource, pods: cfg.Container == containerAuto, podLogs: cfg.PodLogs}
	for i, item := range cfg.Paths {
		rule, err := newPathRule(item)
		if err != nil {
			return nil, fmt.Errorf("paths[%d].match: %w", i, err)
		}
		r.rules = append(r.rules, rule)
	}
	return r, nil
}

// attributesOf returns the resource attributes of a file, sorted by key, and whether the path names a pod.
func (r *resources) attributesOf(path string) (attributes []logformat.Field, pod bool) {
	all := r.byPath(path)
	uid, pod := all[podKey]
	if _, named := all[podNameKey]; pod && !named && r.podLogs != "" {
		maps.Copy(all, podByLogs(r.podLogs, uid))
	}
	attributes = make([]logformat.Field, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		attributes = append(attributes, logformat.Field{Key: key, Value: all[key]})
	}
	return attributes, pod
}

// podOf returns the uid of the pod that writes a file, by its path, or "".
func (r *resources) podOf(path string) string { return r.byPath(path)[podKey] }

// byPath returns the attributes that the settings and the path give to a file.
func (r *resources) byPath(path string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, r.common)
	if r.pods {
		maps.Copy(all, containerlog.Pod(path))
	}
	for _, rule := range r.rules {
		if found := rule.attributesOf(path); found != nil {
			maps.Copy(all, found)
			break
		}
	}
	return all
}

// podByLogs returns the namespace and the name of a pod by the folder of its logs, <namespace>_<pod>_<uid>. The kubelet
// makes it before the pod's containers start. It returns nil if there is none.
func podByLogs(podLogs, uid string) map[string]string {
	folders, _ := os.ReadDir(podLogs)
	for _, folder := range folders {
		if parts := strings.Split(folder.Name(), "_"); len(parts) == 3 && parts[2] == uid {
			return map[string]string{podNamespaceKey: parts[0], podNameKey: parts[1]}
		}
	}
	return nil
}
