// SPDX-License-Identifier: Apache-2.0

// Package explorer connects cardinality processors, which know the series of metrics, with the conformance
// connector, which shows what they cost. The conventions extension has the Registry that both use.
package explorer

import (
	"sync"
	"sync/atomic"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// Source is a cardinality processor.
type Source interface {
	// Costs returns what the processor knows of metrics. Points and bytes are those since the last call.
	Costs() []Metric
}

// Metric is one metric of a service. Metrics of several resources are added up.
type Metric struct {
	Service, Name string
	Processor     paste.Cardinality
	Limit         int // series of one resource
	In, Out       Amount
	Folded        map[string]int // series that were merged into others, by rule
	Attributes    []conformance.CostAttribute
	Together      []conformance.CostTogether
	NotFollowed   string // why they may lack what makes the series
}

// Amount is what comes or goes at one place.
type Amount struct {
	Series int
	Points int64
	Bytes  float64
}

// Registry has the sources of a collector. It is safe for concurrent use. The zero Registry is empty.
type Registry struct {
	wanted atomic.Bool

	mu      sync.Mutex
	sources []Source
}

// Add adds a source.
func (r *Registry) Add(s Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = append(r.sources, s)
}

// Wanted reports whether there is a reader. If not, sources need not know anything.
func (r *Registry) Wanted() bool { return r.wanted.Load() }

// Claim makes the caller the only reader, or returns false if there is one already: points and bytes since the
// last call must go to one reader.
func (r *Registry) Claim() bool { return r.wanted.CompareAndSwap(false, true) }

// Release ends what Claim began.
func (r *Registry) Release() { r.wanted.Store(false) }

// Costs returns the metrics of all sources, and whether there is a source.
func (r *Registry) Costs() (all []Metric, shared bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sources {
		all = append(all, s.Costs()...)
	}
	return all, len(r.sources) > 0
}
