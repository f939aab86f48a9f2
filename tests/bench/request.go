package main

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"time"
)

// anInstance ends service.instance.id. Each connection is a process of its own.
const anInstance = "-instance-0"

// request is an encoded request of one connection, of which only the time changes
// from one sending to the next.
type request struct {
	body  []byte
	times []int // where the items' times are
}

func newRequest(body []byte, connection int) *request {
	r := &request{body: bytes.ReplaceAll(body, []byte(anInstance), []byte("-instance-"+strconv.Itoa(connection)))}
	pattern := binary.LittleEndian.AppendUint64(nil, uint64(ended))
	for at := 0; ; {
		i := bytes.Index(r.body[at:], pattern)
		if i < 0 {
			return r
		}
		r.times = append(r.times, at+i)
		at += i + len(pattern)
	}
}

// now makes all items of this moment. The body is valid until the next call.
func (r *request) now() []byte {
	now := uint64(time.Now().UnixNano())
	for _, at := range r.times {
		binary.LittleEndian.PutUint64(r.body[at:], now)
	}
	return r.body
}
