// SPDX-License-Identifier: Apache-2.0

package linking

import (
	"fmt"
	"maps"
	"slices"
)

// Read is an attribute that a rule reads.
type Read struct {
	Path      []any // of the setting, within the rule
	Attribute string
	// InKey means that the value is a part of the key.
	InKey bool
}

// Reads returns the attributes that the rule reads, in the order of its settings.
func (r *Rule) Reads() []Read {
	var all reads
	all.key(r.Key, "key")
	for i, field := range r.Scope {
		all.add(field, true, nil, "scope", i)
	}
	all.stage(r.From, "from")
	all.stage(r.To, "to")
	for i := range r.Stages {
		all.stage(&r.Stages[i], "stages", i)
	}
	all.logs(r.Logs, "logs")
	for _, attribute := range slices.Sorted(maps.Keys(r.Split)) {
		all.add(attribute, false, nil, "split", attribute)
	}
	return all
}

type reads []Read

// add adds an attribute by the path of its setting: steps within another setting.
func (all *reads) add(attribute string, inKey bool, setting []any, steps ...any) {
	if attribute != "" {
		*all = append(*all, Read{slices.Concat(setting, steps), attribute, inKey})
	}
}

func (all *reads) key(k *Key, setting ...any) {
	if k == nil {
		return
	}
	all.add(k.SpanAttribute, true, setting, "span_attribute")
	all.add(k.ResourceAttribute, true, setting, "resource_attribute")
	all.add(k.EventAttribute, true, setting, "event_attribute")
	for i, part := range k.All {
		all.add(part.SpanAttribute, true, setting, "all", i, "span_attribute")
		all.add(part.ResourceAttribute, true, setting, "all", i, "resource_attribute")
	}
}

func (all *reads) stage(s *Stage, setting ...any) {
	if s == nil {
		return
	}
	for _, attribute := range slices.Sorted(maps.Keys(s.Attributes)) {
		all.add(attribute, false, setting, "attributes", attribute)
	}
	all.key(s.Key, slices.Concat(setting, []any{"key"})...)
	all.logs(s.Logs, slices.Concat(setting, []any{"logs"})...)
}

func (all *reads) logs(logs []LogKey, setting ...any) {
	for i, log := range logs {
		all.add(log.Attribute, true, setting, i, "attribute")
	}
}

// renamedFields are the fields of scopes that newer conventions renamed, by their older names. Senders
// of both are in use, so that two processes of one system can differ.
var renamedFields = map[string]string{"deployment.environment": "deployment.environment.name"}

// Field returns the name of a scope's field by the newest conventions, and its older name or "".
func Field(attribute string) (name, older string) {
	for older, name := range renamedFields {
		if attribute == older || attribute == name {
			return name, older
		}
	}
	return attribute, ""
}

// IsField reports whether two attributes are one field of a scope.
func IsField(one, other string) bool {
	a, _ := Field(one)
	b, _ := Field(other)
	return a == b
}

// String returns the path of the setting.
func (r Read) String() string {
	text := ""
	for _, step := range r.Path {
		text += "." + fmt.Sprint(step)
	}
	return text[1:]
}
