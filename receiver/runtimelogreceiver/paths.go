// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"fmt"
	"maps"
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
	common map[string]string
	rules  []*pathRule
	pods   bool // derive attributes from the log paths of pods
}

// podKey is the attribute that names a pod, whichever setting it comes from.
const podKey = "k8s.pod.uid"

func newResources(cfg *Config) (*resources, error) {
	r := &resources{common: cfg.Resource, pods: cfg.Container == containerAuto}
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
	all := maps.Clone(r.common)
	if all == nil {
		all = map[string]string{}
	}
	if r.pods {
		maps.Copy(all, containerlog.Pod(path))
	}
	for _, rule := range r.rules {
		if found := rule.attributesOf(path); found != nil {
			maps.Copy(all, found)
			break
		}
	}
	_, pod = all[podKey]
	attributes = make([]logformat.Field, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		attributes = append(attributes, logformat.Field{Key: key, Value: all[key]})
	}
	return attributes, pod
}

// podOf returns the uid of the pod that writes a file, by its path, or "".
func (r *resources) podOf(path string) string {
	attributes, _ := r.attributesOf(path)
	for _, a := range attributes {
		if a.Key == podKey {
			return a.Value
		}
	}
	return ""
}
