// SPDX-License-Identifier: Apache-2.0

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
	RuleOwner                      // it is the same without the owner of what is measured
	Rules
)

func (r Rule) String() string {
	return [Rules]string{"attribute", "attribute_limit", "limit", "service_limit", "memory", "overflow", "owner"}[r]
}

// isBudget reports whether a budget was used up.
func (r Rule) isBudget() bool { return r == RuleLimit || r == RuleServiceLimit || r == RuleMemory }

// Reason is the reason why a point is dropped.
type Reason uint8

// The reasons.
const (
	DroppedLate      Reason = iota // not newer than its stream's last, or of a second sender
	DroppedMalformed               // contradicting values, or no time
	DroppedSummary                 // a summary that would have to be merged
	DroppedRefused                 // refused by the next component and not sent again
	Reasons
)

func (r Reason) String() string {
	return [Reasons]string{"late", "malformed", "summary", "refused"}[r]
}

// Untracked says what became of a point whose stream is not tracked, for want of memory.
type Untracked uint8

// What becomes of untracked points.
const (
	UntrackedSent     Untracked = iota // it is sent as it came
	UntrackedCounted                   // its output includes it
	UntrackedBaseline                  // its output does not include it: its last value is not known
	Untrackeds
)

func (u Untracked) String() string {
	return [Untrackeds]string{"sent", "counted", "baseline"}[u]
}

// Batch has the arrival time of a batch, and collects counts and warnings. It must be used
// by one goroutine only.
type Batch struct {
	Now   time.Time
	epoch uint32
	ahead pcommon.Timestamp // points with a later time have a wrong one
	look  *Look             // the look that the current points belong to, if any

	explored uint32 // the epoch of the window of Store.costs; 0 if nobody reads them
	lastSeen uint32 // the epoch in which the last observed point's stream had a point before; 0 if it is new

	// OfService returns the metric with the overflow series of the service, for the metric
	// whose points are observed. It returns nil if there is none and create is false, or if
	// there is no memory for it.
	OfService func(create bool) *Metric

	Folded    [Rules]int64
	Dropped   [Reasons]int64
	Overflows int64 // sums that overflowed an integer and became floating point
	Untracked [Untrackeds]int64
	Sent      []Sent // what TakeBack needs if the batch is refused
	Warnings  []Warning
}

// tolerance is how far a sender's clock may be ahead. The values of a sender whose clock is
// further ahead count, but the points that they are merged into are no later than this.
const tolerance = 5 * time.Second

// Begin sets the arrival time of a batch to now.
func (s *Store) Begin(b *Batch) {
	b.Now = time.Now()
	b.epoch = s.epochOf(b.Now)
	b.ahead = pcommon.NewTimestampFromTime(b.Now.Add(tolerance))
}

// Explore makes the batch observe what its series cost.
func (s *Store) Explore(b *Batch) { b.explored = s.epochOf(s.costs.Window()) + 1 }

// putRight reports whether a clock that was ahead is right again.
func (b *Batch) putRight(last, next pcommon.Timestamp) bool { return last > b.ahead && next <= b.ahead }

// started returns the start of a point. If the sender's clock is ahead, it is corrected by that.
func (b *Batch) started(start, time pcommon.Timestamp) pcommon.Timestamp {
	if time <= b.ahead {
		return start
	}
	return start - min(start, time-(b.ahead-pcommon.Timestamp(tolerance)))
}

// End clears the batch and keeps the memory of its slices.
func (b *Batch) End() {
	clear(b.Sent)
	clear(b.Warnings)
	*b = Batch{Sent: b.Sent[:0], Warnings: b.Warnings[:0], OfService: b.OfService}
}

// Warning reports that a metric is near a budget or exceeds it, or that its summaries lose
// their quantiles.
type Warning struct {
	Service, Metric string
	Rule            Rule // the budget
	Admitted        bool // the budget is near, but not used up
	Limit           int
	Demand          int    // the estimated number of series without budgets
	Attribute       string // the attribute with the most values
	Values          int    // their estimated number
	Keeps           bool   // a setting lists the attributes that stay, so that no other setting drops one
	Quantiles       bool   // summaries lose their quantiles; the other fields are not set
}

// WarnEvery is the least interval between two warnings about a metric.
const WarnEvery = time.Minute
