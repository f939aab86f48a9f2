// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	"strconv"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// latest is after the events of all members.
const latest = correlation.Undecided - 1

// reader reads replies, one after another. Its zero value is ready for use.
type reader struct {
	poisoned int64 // keys that these requests poisoned
	members  []correlation.Member
}

// result reads what the script returned for a request. The times of events, in microseconds
// since 1970, are their orders.
func (r *reader) result(v *correlation.Request, reply []any) (result correlation.Result, err error) {
	if len(reply) == 0 {
		return result, errReply
	}
	place, ok := reply[0].(int64)
	if !ok {
		return result, errReply
	}
	if place == placePoisons {
		r.poisoned++
	}
	if place == placePoisons || place == placePoisoned {
		return correlation.Result{Poisoned: true}, nil
	}
	result.Came, result.Decided = latest, latest
	if v.Op == correlation.Join && v.Member.Held {
		result.Decided = correlation.Undecided
	}
	r.members = r.members[:0]
	for i, value := range reply[1:] {
		element, ok := value.(string)
		if !ok || len(element) <= elementMember {
			return correlation.Result{}, errReply
		}
		if element[elementMember] != elementVersion {
			continue
		}
		m, ok := memberIn(element)
		if !ok {
			return correlation.Result{}, errReply
		}
		if i+1 == int(place) {
			result.Came, result.Decided = m.Came, m.Decided
		} else {
			r.members = append(r.members, m)
		}
	}
	result.Members = r.members
	return result, nil
}

// memberIn reads an element of a list. It is not ok for what is none.
func memberIn(element string) (m correlation.Member, ok bool) {
	if len(element) < elementState {
		return m, false
	}
	came, errCame := strconv.ParseInt(element[:elementDecided], 10, 64)
	decided, errDecided := strconv.ParseInt(element[elementDecided:elementMember], 10, 64)
	if errCame != nil || errDecided != nil {
		return m, false
	}
	p := member.Packed([]byte(element[elementPacked:elementState]))
	p.Unpack(&m, element[elementState:])
	m.Came, m.Decided = correlation.Order(came), correlation.Order(decided)
	if m.Held {
		m.Decided = correlation.Undecided
	}
	return m, true
}
