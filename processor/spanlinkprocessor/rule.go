package spanlinkprocessor

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// rule is a rule, prepared.
type rule struct {
	*correlation.Rule
	number int // counts the rules, from 0
	limit  int
	window pcommon.Timestamp // set at the start, when the index's is known
	hold   time.Duration
	byTime bool // a chain of spans that follow each other in time
}

// stage is what tells the spans of one stage.
type stage struct {
	rule *rule
	*linking.Stage
	number  int             // counts the stages of all rules, from 0
	bit     uint8           // in Member.Stages
	kind    ptrace.SpanKind // unspecified: any
	key     *linking.Key
	keyName string
	needs   string // an attribute that the stage's spans with a key have; empty: none
}

// fromBit is the bit of a rule's first stage.
const fromBit uint8 = 1

// newRules prepares rules and returns the stages that spans can be of.
func newRules(all []*correlation.Rule) (rules []*rule, stages []*stage) {
	for _, common := range all {
		r := &rule{
			Rule: common, number: len(rules), limit: common.Limit(),
			hold:   common.Hold,
			byTime: common.Topology == linking.TopologyChain && len(common.Stages) == 0,
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
			stages = append(stages, newStage(r, &described[i], len(stages), 1<<i))
		}
	}
	return rules, stages
}

func newStage(r *rule, described *linking.Stage, number int, bit uint8) *stage {
	s := &stage{rule: r, Stage: described, number: number, bit: bit, key: described.Key}
	if s.key == nil {
		s.key = r.Key
	}
	for i, kind := range linking.SpanKinds {
		if kind == described.Kind {
			s.kind = ptrace.SpanKind(i + 1)
		}
	}
	s.keyName = nameOf(s.key)
	s.needs = needsOf(s.key)
	return s
}

// needsOf is an attribute without which a span has no key.
func needsOf(key *linking.Key) string {
	needs := key.SpanAttribute
	for i := 0; needs == "" && i < len(key.All); i++ {
		needs = key.All[i].SpanAttribute
	}
	return needs
}

// nameOf is what links say of a key.
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

// holds tells whether spans of these stages wait for an earlier one.
func (r *rule) holds(stages uint8) bool { return r.hold > 0 && stages&^fromBit != 0 }

// start settles what depends on how long the index remembers. A rule of a pack makes do
// with less than it asks for.
func (r *rule) start(index component.ID, remembers time.Duration, logger *zap.Logger) error {
	window := r.WindowIn(remembers)
	switch {
	case window > remembers && r.Own:
		return fmt.Errorf("rules: %s: window: must not be longer than that of %s, %s (got %s)", r.Name, index, remembers, window)
	case r.hold >= min(window, remembers) && r.Own:
		return fmt.Errorf("rules: %s: hold: must be shorter than the window, %s (got %s)", r.Name, window, r.hold)
	case window > remembers || r.hold >= remembers:
		logger.Warn("The index forgets before a pack's rule has done with it", zap.String("rule", r.Name),
			zap.Duration("window", window), zap.Duration("hold", r.hold), zap.Duration("window of the index", remembers))
		window = min(window, remembers)
		r.hold = min(r.hold, window/2)
	}
	r.window = pcommon.Timestamp(window)
	return nil
}
