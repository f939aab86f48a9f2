package correlationindexextension

import (
	"math"
	"slices"
	"strconv"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// undecided is when a member was decided that is held.
const undecided = math.MaxInt64

// result reads what the script returned for a visit.
func (room *scratch) result(v *correlation.Visit, reply []any) (r correlation.Result, err error) {
	if len(reply) == 0 {
		return r, errReply
	}
	place, ok := reply[0].(int64)
	if !ok {
		return r, errReply
	}
	switch place {
	case placePoisons:
		room.poisoned++
		return correlation.Result{Poisoned: true}, nil
	case placePoisoned:
		return correlation.Result{Poisoned: true}, nil
	}
	room.begin()
	for i, value := range reply[1:] {
		element, ok := value.([]byte)
		if !ok || !room.element(string(element), i+1 == int(place)) {
			return r, errReply
		}
	}
	return room.ranked(v), nil
}

func (room *scratch) begin() {
	room.members, room.times, room.numbers = room.members[:0], room.times[:0], room.numbers[:0]
	room.visitor = times{}
}

// element reads an element.
func (room *scratch) element(text string, visitor bool) bool {
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
	p := packed([]byte(text[elementPacked:elementState]))
	room.numbers = append(room.numbers, came)
	if p.meta()&metaHeld != 0 {
		decided = undecided
	} else {
		room.numbers = append(room.numbers, decided)
	}
	if visitor {
		room.visitor = times{came, decided}
		return true
	}
	room.members = append(room.members, correlation.Member{})
	p.unpack(&room.members[len(room.members)-1], text[elementState:])
	room.times = append(room.times, times{came, decided})
	return true
}

// times are when a member came and was decided, in microseconds since 1970. Those of a
// visitor that is not there are 0.
type times struct{ came, decided int64 }

// ranked has the members' orders: the ranks of their times, for these have too many bits.
func (room *scratch) ranked(v *correlation.Visit) (r correlation.Result) {
	slices.Sort(room.numbers)
	for i, at := range room.times {
		room.members[i].Came, room.members[i].Decided = room.order(at.came), room.order(at.decided)
	}
	r.Members = room.members
	if room.visitor != (times{}) {
		r.Came, r.Decided = room.order(room.visitor.came), room.order(room.visitor.decided)
		return r
	}
	r.Came = correlation.Order(len(room.numbers))
	r.Decided = r.Came
	if v.Op == correlation.Join && v.Member.Held {
		r.Decided = correlation.Undecided
	}
	return r
}

func (room *scratch) order(at int64) correlation.Order {
	if at == undecided {
		return correlation.Undecided
	}
	rank, _ := slices.BinarySearch(room.numbers, at)
	return correlation.Order(rank)
}
