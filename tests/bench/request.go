// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// anInstance ends service.instance.id. Each connection is a process of its own, of up to 36:
// its number may take no more room than the 0.
const anInstance = "-instance-0"

// begun is the start of spans that begin one after another, shortly before now.
const begun = ended + 1

// request is an encoded request of one connection. Only its times, values and placeholders
// change from one sending to the next.
type request struct {
	connection int
	body       []byte
	times      []int // where the items' times are
	begins     []int // where the times are that are begun
	values     []int // where values are that count
	places     []place
	sent       uint64
}

func newRequest(body []byte, connection int) *request {
	body = bytes.ReplaceAll(body, []byte(anInstance), []byte("-instance-"+strconv.FormatInt(int64(connection), 36)))
	timesOf := func(t uint64) []int { return slices.Collect(indexes(body, binary.LittleEndian.AppendUint64(nil, t))) }
	return &request{connection: connection, body: body, times: timesOf(uint64(ended)), begins: timesOf(uint64(begun)), places: placeholdersIn(body), values: valuesIn(body)}
}

// next makes the request another one, of this moment. The body is valid until the next
// call.
func (r *request) next() []byte {
	r.sent++
	now := uint64(time.Now().UnixNano())
	for _, at := range r.times {
		binary.LittleEndian.PutUint64(r.body[at:], now)
	}
	for i, at := range r.begins {
		binary.LittleEndian.PutUint64(r.body[at:], now-ages[i%len(ages)])
	}
	for n, at := range r.values {
		binary.LittleEndian.PutUint64(r.body[at:], uint64(n)+r.sent)
	}
	for _, p := range r.places {
		p.write(r.body, r.connection, r.sent, r.sent-1)
	}
	return r.body
}

// ages are how long ago the spans of a request began, in nanoseconds. A batch has them
// in the order of their ends, which is not quite that of their starts.
var ages = func() (ages [itemsPerRequest]uint64) {
	const apart, longest = uint64(20 * time.Microsecond), uint64(time.Millisecond)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range ages {
		ages[i] = uint64(itemsPerRequest-i)*apart + random.Uint64N(longest)
	}
	return ages
}()
