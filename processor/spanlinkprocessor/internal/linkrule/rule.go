// SPDX-License-Identifier: Apache-2.0

// Package linkrule decides which spans a rule links.
//
// Of each pair, the span that is decided last has the link. A span is decided when it comes or, if
// it waits, when it is released. The index keeps the order of decisions, so that all collectors
// find the same pairs. Each order of arrival gives the same pairs. A span that is delivered again
// gets the same links. No pair has two links, and no links form a circle.
//
// In a chain by time a pair depends on the spans between the two. There the pairs are the same only
// if all spans come within the rule's hold.
package linkrule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// Rule is a rule, prepared.
type Rule struct {
	*correlation.Rule
	Number  int // counts the rules, from 0
	HoldFor time.Duration
	window  pcommon.Timestamp // set by Start, when the index's is known
	byTime  bool              // a chain of spans that follow each other in time
	isSplit bool              // spans with the key are parts of a split request
}

// Stage describes the spans of one stage.
type Stage struct {
	Rule *Rule
	*linking.Stage
	Bit     uint8 // in Member.Stages
	Key     *linking.Key
	KeyName string // the name of the key in links
	Needs   string // an attribute that every span with the key has; empty: none
	// Threads is set for spans without a key, which state a thread of their trace.
	Threads bool
	kind    uint8 // 0: any
}

// The kinds of spans that hand work over, by their numbers in OTLP.
const (
	producer uint8 = 4
	consumer uint8 = 5
)

// fromBit is the bit of a rule's first stage.
const fromBit uint8 = 1

// New prepares rules and returns the stages that spans can be of.
func New(all []*correlation.Rule) (rules []*Rule, stages []*Stage) {
	splits := map[string]bool{}
	for _, common := range all {
		for attribute := range common.Split {
			splits[attribute] = true
		}
	}
	for _, common := range all {
		r := &Rule{
			Rule: common, Number: len(rules), HoldFor: common.Hold,
			byTime:  common.Topology == linking.TopologyChain && len(common.Stages) == 0,
			isSplit: common.Key != nil && splits[common.Key.SpanAttribute],
		}
		rules = append(rules, r)
		described := common.Stages
		if len(described) == 0 {
			described = []linking.Stage{*common.From}
			if common.To != nil {
				described = append(described, *common.To)
			}
		}
		for i := range described {
			if len(described[i].Logs) > 0 {
				continue // log_correlation puts its members into the index
			}
			stages = append(stages, newStage(r, &described[i], 1<<i))
		}
		if common.Threads != nil {
			s := newStage(r, common.Threads, 0)
			s.Threads, s.Needs = true, correlation.ThreadIDKey
			stages = append(stages, s)
		}
	}
	return rules, stages
}

func newStage(r *Rule, described *linking.Stage, bit uint8) *Stage {
	s := &Stage{Rule: r, Stage: described, Bit: bit, Key: described.Key}
	if s.Key == nil {
		s.Key = r.Key
	}
	s.kind = uint8(slices.Index(linking.SpanKinds, described.Kind) + 1)
	s.KeyName = nameOf(s.Key)
	s.Needs = needsOf(s.Key)
	return s
}

// needsOf returns an attribute without which a span has no key.
func needsOf(key *linking.Key) string {
	needs := key.SpanAttribute
	for i := 0; needs == "" && i < len(key.All); i++ {
		needs = key.All[i].SpanAttribute
	}
	return needs
}

func nameOf(key *linking.Key) string {
	name := key.SpanAttribute + key.ResourceAttribute + key.EventAttribute // one of them
	for i, part := range key.All {
		if i > 0 {
			name += "+"
		}
		name += part.SpanAttribute + part.ResourceAttribute
	}
	return name
}

// Holds reports whether spans of these stages wait for an earlier one.
func (r *Rule) Holds(stages uint8) bool { return r.HoldFor > 0 && stages&^fromBit != 0 }

// NeedsOther reports whether a span of these stages has another one somewhere. A span that may be of the first stage can be
// the only one, unless the key says that the request is split.
func (r *Rule) NeedsOther(stages uint8) bool {
	return !r.byTime && (stages&fromBit == 0 || r.isSplit)
}

// Start sets what depends on how long the index remembers. A rule of a pack can work with a
// shorter window than it asks for.
func (r *Rule) Start(index component.ID, remembers time.Duration, logger *zap.Logger) error {
	window := r.Window
	if window == 0 {
		window = remembers
	}
	switch {
	case window > remembers && r.Pack == nil:
		return fmt.Errorf("rules: %s: window: must not be longer than that of %s, %s (got %s)", r.Name, index, remembers, window)
	case r.HoldFor >= min(window, remembers) && r.Pack == nil:
		return fmt.Errorf("rules: %s: hold: must be shorter than the window, %s (got %s)", r.Name, window, r.HoldFor)
	case window > remembers || r.HoldFor >= remembers:
		logger.Warn("The index forgets before a pack's rule has done with it", zap.String("rule", r.Name),
			zap.Duration("window", window), zap.Duration("hold", r.HoldFor), zap.Duration("window of the index", remembers))
		window = min(window, remembers)
		r.HoldFor = min(r.HoldFor, window/2)
	}
	r.window = pcommon.Timestamp(window)
	return nil
}

// Names finds the stages that a span's name and kind fit. It remembers names, because most telemetry has few. It is
// safe for concurrent use.
type Names struct {
	Stages []*Stage
	known  namecache.Cache[name, []*Stage]
}

type name struct {
	text string
	kind uint8
}

// NewNames returns the names of stages.
func NewNames(stages []*Stage) *Names {
	return &Names{stages, namecache.New[name, []*Stage]()}
}

// Fits returns the stages that a span's name and kind fit.
func (n *Names) Fits(text string, kind uint8) []*Stage {
	if stages, ok := n.known.Get(name{text, kind}); ok {
		return stages
	}
	stages := n.match(text, kind)
	if len(text) > namecache.MaxLength {
		return stages
	}
	// A copy: the text may be part of a whole batch.
	return n.known.Put(name{strings.Clone(text), kind}, len(text), stages)
}

func (n *Names) match(text string, kind uint8) []*Stage {
	var fit []*Stage
	for _, s := range n.Stages {
		if (s.kind == 0 || s.kind == kind) && (len(s.SpanName) == 0 || s.SpanName.Match(text)) {
			fit = append(fit, s)
		}
	}
	return fit
}
