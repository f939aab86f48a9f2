// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// LogTraces counts the records of a service by whether log_correlation processors found their trace, since the start.
type LogTraces struct {
	Service string `json:"service"`
	// With counts records with a trace by the evidence for it: Stated, or what correlation.Evidence is called.
	With map[string]int64 `json:"with"`
	// Without counts the others by the reason: one of WithoutTrace.
	Without map[string]int64 `json:"without"`
}

// Stated is the evidence of a record that states its trace.
const Stated = "stated"

// WithoutTrace are the reasons why records have no trace, in this order: The record has no key. No span has its key.
// Requests are split, and the process that wrote the record is not known. Several traces have the key. The record
// states several traces. The index did not answer.
var WithoutTrace = [...]string{"no_key", "no_span", "no_process", "several_traces", "conflict", "index_failure"}

// maxLogServices limits the services whose records are counted apart: their names come from telemetry.
const maxLogServices = 500

// LogCounts connects the log_correlation processors of a collector with the conformance connector, which shows what they
// counted. It is safe for concurrent use. The zero value is empty.
type LogCounts struct {
	mu       sync.Mutex
	services map[string]*LogTraces
}

// Add adds records of a service: those that state their trace, those with one by other evidence, and those without, in
// the order of WithoutTrace.
func (c *LogCounts) Add(service string, stated int64, with map[string]int64, without [len(WithoutTrace)]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := c.services[service]
	if sum == nil {
		name := strings.Clone(ServiceName(service))
		if len(c.services) >= maxLogServices {
			name = "other"
		}
		if sum = c.services[name]; sum == nil {
			if c.services == nil {
				c.services = map[string]*LogTraces{}
			}
			sum = &LogTraces{Service: name, With: map[string]int64{}, Without: map[string]int64{}}
			c.services[name] = sum
		}
	}
	if stated > 0 {
		sum.With[Stated] += stated
	}
	addAll(sum.With, with)
	for why, n := range without {
		if n > 0 {
			sum.Without[WithoutTrace[why]] += n
		}
	}
}

func addAll(to, from map[string]int64) {
	for key, n := range from {
		to[key] += n
	}
}

// All returns the counts of all services, those with most records without a trace first.
func (c *LogCounts) All() []LogTraces {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []LogTraces{}
	for _, sum := range c.services {
		n := LogTraces{Service: sum.Service, With: map[string]int64{}, Without: map[string]int64{}}
		addAll(n.With, sum.With)
		addAll(n.Without, sum.Without)
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b LogTraces) int {
		return cmp.Or(cmp.Compare(total(b.Without), total(a.Without)), strings.Compare(a.Service, b.Service))
	})
	return all
}

func total(counts map[string]int64) (sum int64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}
