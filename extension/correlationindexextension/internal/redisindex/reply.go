// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	"math"
	"slices"
	"strconv"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// undecided is when a held member was decided.
const undecided = math.MaxInt64

// reader reads replies, one after another. Its zero value is ready for use.
type reader struct {
	poisoned int64 // keys that these requests poisoned

	members []correlation.Member
	times   []times // of the members
	own     times   // of the request's own member
	numbers []int64 // all times, in order
}

// times are when a member came and was decided, in microseconds since 1970. Those of a member
// that is not there are 0.
type times struct{ came, decided int64 }

// result reads what the script returned for a request.
func (r *reader) result(v *correlation.Request, reply []any) (result correlation.Result, err error) {
	if len(reply) == 0 {
		return result, errReply
	}
	place, ok := reply[0].(int64)
	if !ok {
		return result, errReply
	}
	switch place {
	case placePoisons:
		r.poisoned++
		return correlation.Result{Poisoned: true}, nil
	case placePoisoned:
		return correlation.Result{Poisoned: true}, nil
	}
	r.members, r.times, r.numbers, r.own = r.members[:0], r.times[:0], r.numbers[:0], times{}
	for i, value := range reply[1:] {
		element, ok := value.(string)
		if !ok || !r.element(element, i+1 == int(place)) {
			return result, errReply
		}
	}
	return r.ranked(v), nil
}

// element reads an element, and reports whether it is one.
func (r *reader) element(text string, own bool) bool {
	if len(text) <= elementMember {
		return false
	}
	if text[elementMember] != elementVersion {
		return true
	}
	if len(text) < elementState {
		return false
	}
	came, errCame := strconv.ParseInt(text[:elementDecided], 10, 64)
	decided, errDecided := strconv.ParseInt(text[elementDecided:elementMember], 10, 64)
	if errCame != nil || errDecided != nil {
		return false
	}
	p := member.Packed([]byte(text[elementPacked:elementState]))
	r.numbers = append(r.numbers, came)
	if p.Meta()&member.Held != 0 {
		decided = undecided
	} else {
		r.numbers = append(r.numbers, decided)
	}
	if own {
		r.own = times{came, decided}
		return true
	}
	r.members = append(r.members, correlation.Member{})
	p.Unpack(&r.members[len(r.members)-1], text[elementState:])
	r.times = append(r.times, times{came, decided})
	return true
}

// ranked returns the result with ranks of times as orders, because times have too many bits.
func (r *reader) ranked(v *correlation.Request) (result correlation.Result) {
	slices.Sort(r.numbers)
	for i, at := range r.times {
		r.members[i].Came, r.members[i].Decided = r.order(at.came), r.order(at.decided)
	}
	result.Members = r.members
	if r.own != (times{}) {
		result.Came, result.Decided = r.order(r.own.came), r.order(r.own.decided)
		return result
	}
	result.Came = correlation.Order(len(r.numbers))
	result.Decided = result.Came
	if v.Op == correlation.Join && v.Member.Held {
		result.Decided = correlation.Undecided
	}
	return result
}

func (r *reader) order(at int64) correlation.Order {
	if at == undecided {
		return correlation.Undecided
	}
	rank, _ := slices.BinarySearch(r.numbers, at)
	return correlation.Order(rank)
}
