// SPDX-License-Identifier: Apache-2.0

// Package correlation contains what the correlation_index extension and its users have in common:
// keys, their members, and requests about them. Package linking contains the rules themselves.
package correlation

import (
	"context"
	"fmt"
	"math"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Index remembers for a time which spans had which key. It is safe for concurrent use.
type Index interface {
	// Window returns how long a member is remembered.
	Window() time.Duration
	// TraceIDs reports whether the index is to remember every trace by KeyOfTrace.
	TraceIDs() bool
	// HashKey returns the secret that the keys of requests have to be hashed with.
	HashKey() HashKey
	// Do makes requests in their order and hands each result to found, with the request's
	// number. A result is valid until found returns. Each request is atomic. After an error
	// none, some or all requests were made, and found was called for none or for some.
	Do(ctx context.Context, requests []Request, found func(i int, r Result)) error
}

// Find returns the extension that a component's setting index names. Errors name the setting and its
// value.
func Find(host component.Host, id component.ID) (Index, error) {
	extension, ok := host.GetExtensions()[id]
	if !ok {
		return nil, fmt.Errorf("index: must be an extension of the service (got %q)", id)
	}
	index, ok := extension.(Index)
	if !ok {
		return nil, fmt.Errorf("index: must be a correlation_index extension (got %q)", id)
	}
	return index, nil
}

// Request asks about one key.
type Request struct {
	Key Key
	Op  Op
	// Member joins or is released. Release needs only its ids, and Look needs none of it.
	Member Member
	// Limit is how many members a key can have. One more poisons it: it takes no
	// member until the window has passed.
	Limit int
}

// Op is what a request does.
type Op uint8

// What a request can do, besides finding the members.
const (
	// Look does nothing.
	Look Op = iota
	// Join adds the member, unless it is there. One with Held is undecided until Release.
	Join
	// Release decides the member now, unless it is decided or not there.
	Release
)

// Order numbers the events of one key. An earlier event has a smaller number. Numbers of two
// results do not compare.
type Order int64

// Undecided is the Decided of a member that is held.
const Undecided = Order(math.MaxInt64)

// Result is what a request finds, after what it did.
type Result struct {
	// Members are the remembered members of the key, in the order in which they came, without
	// the request's own.
	Members []Member
	// Came and Decided are those of the request's own member. For one that came for the first
	// time, or is remembered no more, or for Look, they are after those of all members.
	Came, Decided Order
	// Poisoned is set when the key has had too many members. There are no Members.
	Poisoned bool
}

// Member is a span that had a key.
type Member struct {
	TraceID      pcommon.TraceID
	SpanID       pcommon.SpanID
	ParentSpanID pcommon.SpanID
	Start        pcommon.Timestamp
	End          pcommon.Timestamp
	TraceState   string // empty if it is longer than MaxTraceState
	// Stages is a bit for each stage of the rule that the span matches. The schema of packs allows eight.
	Stages uint8
	Kind   uint8 // ptrace.SpanKind
	Flags  uint8 // W3C trace flags
	Log    bool  // a log record stands for the span
	// Held asks Join for a member that is decided by Release only.
	Held bool
	// Came is when the member joined for the first time. Decided is the same or, for one that
	// was held, when it was released. An index sets both; requests do not.
	Came, Decided Order
}

// MaxTraceState is the longest trace state that is kept, in bytes.
const MaxTraceState = 256

// Is reports whether two members are one span.
func (m *Member) Is(other *Member) bool {
	return m.SpanID == other.SpanID && m.TraceID == other.TraceID
}

// earliest is in September 2001, before any span was recorded. A clock that counts from the boot of a
// machine shows 1970, or the years after.
const earliest pcommon.Timestamp = 1e18

// Plausible reports whether a span's time was set, and by a clock that showed the date.
func Plausible(t pcommon.Timestamp) bool { return t >= earliest }
