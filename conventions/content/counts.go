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
	Key     string // the label of the rule
	Action  Action
	Count   int64
}

// maxServices limits the services that are counted by name. OtherServices has the sum of the others.
const (
	maxServices   = 256
	maxService    = 255
	OtherServices = "(others)"
)

type counted struct {
	rule   int
	action Action
}

// counters are the counts by service. The zero counters are empty.
type counters struct {
	mutex    sync.Mutex
	services map[string]map[counted]int64
}

// Count adds to the number of values of a service that a rule replaced.
func (p *Policy) Count(service string, rule *Rule, action Action, n int64) {
	c := &p.counters
	c.mutex.Lock()
	defer c.mutex.Unlock()
	byRule, ok := c.services[service]
	if !ok && (len(c.services) >= maxServices || len(service) > maxService) {
		service = OtherServices
		byRule, ok = c.services[service]
	}
	if !ok {
		if c.services == nil {
			c.services = map[string]map[counted]int64{}
		}
		byRule = map[counted]int64{}
		c.services[strings.Clone(service)] = byRule
	}
	byRule[counted{rule.index, action}] += n
}

// Counts returns how many values were replaced, by service and key.
func (p *Policy) Counts() []Count {
	c := &p.counters
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var counts []Count
	for service, byRule := range c.services {
		for by, n := range byRule {
			counts = append(counts, Count{service, p.byIndex[by.rule].Label, by.action, n})
		}
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Key, b.Key), strings.Compare(string(a.Action), string(b.Action)))
	})
	return counts
}
