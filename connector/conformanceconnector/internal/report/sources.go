// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

const (
	// MaxSources limits the sources of records.
	MaxSources = 500
	// MaxLinkRules limits the rules of links. Packs have about twelve.
	MaxLinkRules = 64
	// maxProtected limits the rows about protected content.
	maxProtected = 2000
)

// source counts the records of one source of one service.
type source struct {
	seen moment
	mu   sync.Mutex
	conformance.LogSource
}

type sourceKey struct {
	service *ServiceCounts
	name    string
}

// Records counts records of one source of a service, which n names.
func (b *Builder) Records(svc *ServiceCounts, n *conformance.LogSource, now time.Time) {
	key := sourceKey{svc, conformance.Kept(n.Name)}
	s := b.sources.of(key, func() (sourceKey, *source) {
		key.name = strings.Clone(key.name)
		return key, &source{LogSource: conformance.LogSource{Service: svc.Name, Name: key.name}}
	})
	if s == nil {
		b.Refuse(LimitSources, n.Records)
		return
	}
	s.seen.set(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Records += n.Records
	s.WithTrace += n.WithTrace
	s.WithSpan += n.WithSpan
	s.InAttributes += n.InAttributes
	s.File = s.File || n.File
	s.NoFormat += n.NoFormat
	if s.Shape == "" {
		s.Shape = n.Shape
	}
}

// HasTraced reports whether a record of a source had a trace.
func (b *Builder) HasTraced(svc *ServiceCounts, name string) bool {
	s := b.sources.of(sourceKey{svc, conformance.Kept(name)}, nil)
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.WithTrace > 0
}

// reportSources returns the sources, those with the smallest share of records in a trace first.
func (b *Builder) reportSources() []conformance.LogSource {
	all := []conformance.LogSource{}
	for _, s := range b.sources.all() {
		all = append(all, s.LogSource)
	}
	slices.SortFunc(all, func(a, b conformance.LogSource) int {
		return cmp.Or(cmp.Compare(withTrace(&a), withTrace(&b)), cmp.Compare(b.Records, a.Records),
			strings.Compare(a.Service, b.Service), strings.Compare(a.Name, b.Name))
	})
	return all
}

func withTrace(s *conformance.LogSource) float64 {
	return float64(s.WithTrace) / float64(max(s.Records, 1))
}

type link struct {
	rule  string
	total atomic.Int64
}

// Link counts a derived link. The name of its rule comes from telemetry, so there can be any number of
// names.
func (b *Builder) Link(rule string) {
	rule = conformance.Kept(rule)
	l := b.links.of(rule, func() (string, *link) {
		l := &link{rule: strings.Clone(rule)}
		return l.rule, l
	})
	if l == nil || rule == Other {
		l = &b.otherLinks
	}
	l.total.Add(1)
}

func (b *Builder) reportLinks() []conformance.Link {
	all, unmet := []conformance.Link{}, map[string]int64{}
	if b.settings.Unmet != nil {
		unmet = b.settings.Unmet()
	}
	for _, l := range append(b.links.all(), &b.otherLinks) {
		if total := l.total.Load(); total > 0 {
			all = append(all, conformance.Link{Rule: l.rule, Total: total, Unmet: unmet[l.rule]})
			delete(unmet, l.rule)
		}
	}
	for rule, spans := range unmet {
		all = append(all, conformance.Link{Rule: rule, Unmet: spans})
	}
	slices.SortFunc(all, func(a, b conformance.Link) int { return strings.Compare(a.Rule, b.Rule) })
	return all
}

// reportProtected returns what was protected, with the names of services that the rest of the report has.
func (b *Builder) reportProtected() []conformance.Protected {
	all := []conformance.Protected{}
	if b.settings.Protected == nil {
		return all
	}
	for _, p := range b.settings.Protected() {
		if len(all) == maxProtected {
			break
		}
		p.Service = conformance.ServiceName(p.Service)
		all = append(all, p)
	}
	return all
}
