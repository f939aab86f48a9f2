// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Count is how many values of a service a rule replaced.
type Count struct {
	Service string
	Key     string // the label of the rule, or the key of free text
	Action  Action
	Count   int64
	// Bytes is the length of what was replaced, but for credentials.
	Bytes int64
	// Allow is the key to allow, or empty for credentials.
	Allow string
}

// Tally is a number of values with their length.
type Tally struct{ Values, Bytes int64 }

// Add adds another tally.
func (t *Tally) Add(more Tally) {
	t.Values += more.Values
	t.Bytes += more.Bytes
}

// maxServices limits the services that are counted by name. OtherServices has the sum of the others.
const (
	maxServices   = 256
	maxService    = 255
	OtherServices = "(others)"
)

const (
	// maxFreeKeys limits the keys of free text that are counted by name, for each service.
	maxFreeKeys = 256
	// OtherKeys has the keys beyond the limit, and those that are no identifiers themselves.
	OtherKeys = "(other keys)"
)

type counted struct {
	rule   ruleKey
	action Action
	key    string // of free text
}

// ruleKey identifies a rule in the counts, also when the policy has been replaced.
type ruleKey struct {
	label  string
	secret bool
	inText bool // fields of texts
}

// counters are the counts by service. The zero counters are empty.
type counters struct {
	mutex    sync.Mutex
	services map[string]map[counted]*Tally
}

// ContinueCounts has the policy count where the one that it replaces does.
func (p *Policy) ContinueCounts(before *Policy) { p.counters = before.counters }

// Count adds to the values of a service that a rule replaced. Key is that of free text, or empty.
func (p *Policy) Count(service string, rule *Rule, action Action, key string, more Tally) {
	c := p.counters
	c.mutex.Lock()
	defer c.mutex.Unlock()
	byRule, ok := c.services[service]
	if !ok && (len(c.services) >= maxServices || len(service) > maxService) {
		service = OtherServices
		byRule, ok = c.services[service]
	}
	if !ok {
		if c.services == nil {
			c.services = map[string]map[counted]*Tally{}
		}
		byRule = map[counted]*Tally{}
		c.services[strings.Clone(service)] = byRule
	}
	by := counted{ruleKey{rule.Label, rule.Secret, rule == p.inText}, action, key}
	if byRule[by] == nil {
		if key != "" && (len(byRule) >= maxFreeKeys || !Identifier(key)) {
			by.key = OtherKeys
		}
		by.key = strings.Clone(by.key)
		if byRule[by] == nil {
			byRule[by] = &Tally{}
		}
	}
	byRule[by].Add(more)
}

// FreeKey returns the key by which free text under a key is counted: elements of lists share one.
func FreeKey(key string) string {
	if !strings.ContainsFunc(key, func(r rune) bool { return r >= '0' && r <= '9' }) {
		return key
	}
	parts := strings.Split(key, ".")
	for i, part := range parts {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, ".")
}

// Counts returns how many values were replaced, by service and key.
func (p *Policy) Counts() []Count {
	c := p.counters
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var counts []Count
	for service, byRule := range c.services {
		for by, tally := range byRule {
			count := Count{Service: service, Key: cmp.Or(by.key, by.rule.label), Action: by.action, Count: tally.Values}
			if !by.rule.secret {
				count.Bytes, count.Allow = tally.Bytes, count.Key
			}
			if by.rule.inText || by.key == OtherKeys {
				count.Allow = ""
			}
			counts = append(counts, count)
		}
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Key, b.Key), strings.Compare(string(a.Action), string(b.Action)))
	})
	return counts
}
