// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"iter"
)

// placeholder stands for an id of 64 bits which is another each time a request is sent. It
// fills the id's place, as 8 bytes or 16 hexadecimal digits: a constant, and a number.
type placeholder uint64

const (
	constantOfPlaceholders placeholder = 0xd1ce0fa11e << 24
	// before makes it the id of that number which the request before had.
	before placeholder = 1 << 23
)

func (m placeholder) bytes() []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(constantOfPlaceholders|m))
}

// place is where an encoded request has an id.
type place struct {
	at     int
	text   bool
	before bool
	number uint64
}

// placeholdersIn finds the placeholders of an encoded request.
func placeholdersIn(body []byte) (places []place) {
	const size = 5
	constant := constantOfPlaceholders.bytes()[:size]
	for _, text := range []bool{false, true} {
		pattern := constant
		if text {
			pattern = hex.AppendEncode(nil, constant)
		}
		for at := range indexes(body, pattern) {
			id := body[at:]
			if text {
				id, _ = hex.DecodeString(string(id[:16]))
			}
			m := placeholder(binary.BigEndian.Uint64(id)) &^ constantOfPlaceholders
			places = append(places, place{at: at, text: text, before: m&before != 0, number: uint64(m &^ before)})
		}
	}
	return places
}

// indexes yields where a pattern is.
func indexes(body, pattern []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at += len(pattern) {
			i := bytes.Index(body[at:], pattern)
			if i < 0 {
				return
			}
			at += i
			if !yield(at) {
				return
			}
		}
	}
}

// write writes the id that the place has in a connection's request of a number, after the
// previous one.
func (p place) write(body []byte, connection int, current, previous uint64) {
	if p.before {
		current = previous
	}
	id := drawn(uint64(connection)<<56 | current<<16 | p.number)
	if !p.text {
		binary.BigEndian.PutUint64(body[p.at:], id)
		return
	}
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], id)
	hex.Encode(body[p.at:], raw[:])
}

// drawn looks as if it were drawn, and is another for each n: the finalizer of
// SplitMix64, which can be undone.
func drawn(n uint64) uint64 {
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
