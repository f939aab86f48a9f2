package series

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Rule is the reason why a stream is merged.
type Rule uint8

// The rules.
const (
	RuleAttribute      Rule = iota // the plan drops one of its attributes
	RuleAttributeLimit             // attribute_limits replaces a value
	RuleLimit                      // the metric's limit is used up
	RuleServiceLimit               // service_limit is used up
	RuleMemory                     // the memory is used up
	RuleOverflow                   // it is the overflow series of an SDK
	Rules
)

func (r Rule) String() string {
	return [Rules]string{"attribute", "attribute_limit", "limit", "service_limit", "memory", "overflow"}[r]
}

// dropped returns the reason for dropping a point that a budget refuses.
func (r Rule) dropped() Reason {
	return [Rules]Reason{RuleLimit: DroppedLimit, RuleServiceLimit: DroppedServiceLimit, RuleMemory: DroppedMemory}[r]
}

// Reason is the reason why a point is dropped.
type Reason uint8

// The reasons.
const (
	DroppedLate         Reason = iota // not newer than its stream's last, or of a second sender
	DroppedMalformed                  // contradicting values, or a wrong time
	DroppedLimit                      // refused by limit, with on_overflow drop
	DroppedServiceLimit               // refused by service_limit, with on_overflow drop
	DroppedMemory                     // no memory for the series or the stream
	DroppedSummary                    // a summary that would have to be merged
	DroppedRefused                    // refused by the next component and not sent again
	Reasons
)

func (r Reason) String() string {
	return [Reasons]string{"late", "malformed", "limit", "service_limit", "memory", "summary", "refused"}[r]
}

// Batch has the arrival time of a batch, and collects counts and warnings. It must be used
// by one goroutine only.
type Batch struct {
	Now    time.Time
	epoch  uint32
	latest pcommon.Timestamp // later points are malformed

	Folded    [Rules]int64
	Dropped   [Reasons]int64
	Overflows int64  // sums that overflowed an integer and became floating point
	Sent      []Sent // what TakeBack needs if the batch is refused
	Warnings  []Warning
}

// maxAhead is how far a sender's clock may be ahead. One later point would make all further
// points of the output it is merged into late.
const maxAhead = time.Hour

// Begin sets the arrival time of a batch to now.
func (s *Store) Begin(b *Batch) {
	b.Now = time.Now()
	b.epoch = s.epochOf(b.Now)
	b.latest = pcommon.NewTimestampFromTime(b.Now.Add(maxAhead))
}

// End clears the batch and keeps the memory of its slices.
func (b *Batch) End() {
	clear(b.Sent)
	clear(b.Warnings)
	*b = Batch{Sent: b.Sent[:0], Warnings: b.Warnings[:0]}
}

// Warning reports that a metric is near a budget or exceeds it.
type Warning struct {
	Service, Metric string
	Rule            Rule // the budget
	Admitted        bool // the budget is near, but not used up
	Limit           int
	Demand          int    // the estimated number of series without budgets
	Attribute       string // the attribute with the most values
	Values          int    // their estimated number
}

// WarnEvery is the least interval between two warnings about a metric.
const WarnEvery = time.Minute

// warn adds a warning about a metric, unless the last one is too recent.
func (b *Batch) warn(m *Metric, full Rule, admitted bool) {
	if b.Now.Sub(m.warned) < WarnEvery {
		return
	}
	m.warned = b.Now
	attribute, values := m.sketch.widest()
	b.Warnings = append(b.Warnings, Warning{m.service.name, m.Plan.Metric, full, admitted, m.Plan.Limit, m.demand(), attribute, values})
}
