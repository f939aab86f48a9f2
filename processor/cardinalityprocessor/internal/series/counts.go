package series

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Rule says why a stream is merged with other streams.
type Rule uint8

// The rules.
const (
	RuleAttribute      Rule = iota // an attribute had to go
	RuleAttributeLimit             // an attribute's value is past the attribute's limit
	RuleLimit                      // its metric has no place for it
	RuleServiceLimit               // its service has none
	RuleMemory                     // there is no memory for it
	RuleOverflow                   // a sender's own overflow series
	Rules
)

func (r Rule) String() string {
	return [Rules]string{"attribute", "attribute_limit", "limit", "service_limit", "memory", "overflow"}[r]
}

// dropped returns why a point is dropped that a budget has no place for.
func (r Rule) dropped() Reason {
	switch r {
	case RuleLimit:
		return DroppedLimit
	case RuleServiceLimit:
		return DroppedServiceLimit
	default:
		return DroppedMemory
	}
}

// Reason says why a point is dropped.
type Reason uint8

// The reasons.
const (
	DroppedLate         Reason = iota // not newer than its stream's last, or of another writer
	DroppedMalformed                  // contradicts itself, or has no time
	DroppedLimit                      // as of rules, where overflow is to be dropped
	DroppedServiceLimit               //
	DroppedMemory                     // or its stream cannot be remembered
	DroppedSummary                    // a summary that would have to be merged
	DroppedRefused                    // merged, and refused by the next component
	Reasons
)

func (r Reason) String() string {
	return [Reasons]string{"late", "malformed", "limit", "service_limit", "memory", "summary", "refused"}[r]
}

// Batch is a batch of points as the series see it: the time it came, and what they have to
// say about it. It belongs to one goroutine.
type Batch struct {
	Now    time.Time
	epoch  uint32
	latest pcommon.Timestamp

	Folded    [Rules]int64
	Dropped   [Reasons]int64
	Overflows int64  // sums of integers that became floating point
	Sent      []Sent // the outputs that go out with the batch
	Warnings  []Warning
}

// maxAhead is how far a sender's clock may be ahead of ours. A point from further on would
// take the series it is merged into along.
const maxAhead = time.Hour

// Begin readies a batch that comes now.
func (s *Store) Begin(b *Batch) {
	b.Now = time.Now()
	b.epoch = s.epochOf(b.Now)
	b.latest = pcommon.NewTimestampFromTime(b.Now.Add(maxAhead))
}

// End leaves nothing of the batch but memory for the next one.
func (b *Batch) End() {
	clear(b.Sent)
	clear(b.Warnings)
	*b = Batch{Sent: b.Sent[:0], Warnings: b.Warnings[:0]}
}

// Warning says that a metric of a service nears a limit of series or is past it.
type Warning struct {
	Service, Metric string
	Rule            Rule // whose budget it is
	Admitted        bool // the last new series had a place yet
	Limit           int
	Demand          int    // series that want a place; about
	Attribute       string // the one with the most values
	Values          int    // how many it has; about
}

// WarnEvery is how often there is a warning of one metric at most.
const WarnEvery = time.Minute

// warn warns of a metric.
func (b *Batch) warn(m *Metric, full Rule, admitted bool) {
	if b.Now.Sub(m.warned) < WarnEvery {
		return
	}
	m.warned = b.Now
	attribute, values := m.sketch.widest()
	b.Warnings = append(b.Warnings, Warning{m.service.name, m.Plan.Metric, full, admitted, m.Plan.Limit, m.demand(), attribute, values})
}
