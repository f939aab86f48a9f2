// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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

// CostSource knows what series cost: it is a cardinality processor.
type CostSource interface {
	// Costs returns what the source knows of metrics, after a time since the last call.
	Costs(since time.Duration) []Cost
}

// CostSources connects the cardinality processors of a collector with the conformance connector, which shows what
// they know. It is safe for concurrent use. The zero value is empty.
type CostSources struct {
	wanted atomic.Bool

	mu      sync.Mutex
	sources []CostSource
}

// Add adds a source.
func (c *CostSources) Add(s CostSource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = append(c.sources, s)
}

// Wanted reports whether there is a reader. If not, sources need not know anything.
func (c *CostSources) Wanted() bool { return c.wanted.Load() }

// Claim makes the caller the only reader, or returns false if there is one already: points and bytes since the
// last call must go to one reader.
func (c *CostSources) Claim() bool { return c.wanted.CompareAndSwap(false, true) }

// Release ends what Claim began.
func (c *CostSources) Release() { c.wanted.Store(false) }

// Costs returns the metrics of all sources, and whether there is a source.
func (c *CostSources) Costs(since time.Duration) (all []Cost, shared bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sources {
		all = append(all, s.Costs(since)...)
	}
	return all, len(c.sources) > 0
}

// LinkCounts connects the span_link processors of a collector with the conformance connector, which shows what they
// counted. It is safe for concurrent use. The zero value is empty.
type LinkCounts struct {
	mu    sync.Mutex
	unmet map[string]int64
}

// AddUnmet adds spans of a rule that waited in vain for the other stage.
func (c *LinkCounts) AddUnmet(rule string, spans int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unmet == nil {
		c.unmet = map[string]int64{}
	}
	c.unmet[rule] += spans
}

// Unmet returns the spans that waited in vain since the start, by rule.
func (c *LinkCounts) Unmet() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.unmet)
}
