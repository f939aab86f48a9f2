// SPDX-License-Identifier: Apache-2.0

// Package indextest has what tests of indexes share: requests, an oracle, and how to write
// results.
package indextest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Index is the part of correlation.Index that makes requests.
type Index interface {
	Do(context.Context, []correlation.Request, func(int, correlation.Result)) error
}

// All makes requests and copies what they find, with ranks in place of orders.
func All(t testing.TB, index Index, all ...correlation.Request) []correlation.Result {
	t.Helper()
	var results []correlation.Result
	require.NoError(t, index.Do(t.Context(), all, func(i int, r correlation.Result) {
		require.Len(t, results, i, "results come in the order of the requests")
		results = append(results, Ranked(r))
	}))
	require.Len(t, results, len(all))
	return results
}

// One makes one request.
func One(t testing.TB, index Index, v correlation.Request) correlation.Result {
	t.Helper()
	return All(t, index, v)[0]
}

// Member returns the member with this number.
func Member(n int) correlation.Member {
	return correlation.Member{
		TraceID: pcommon.TraceID{0: 1, 15: byte(n), 14: byte(n >> 8)}, SpanID: pcommon.SpanID{0: 2, 7: byte(n), 6: byte(n >> 8)},
	}
}

// KeyOf returns the key with this number.
func KeyOf(n int) correlation.Key {
	var w correlation.Writer
	w.Begin("rule")
	w.Add(string(rune(n)))
	return w.Key()
}

// Join returns a request that joins.
func Join(key, n int) correlation.Request {
	return correlation.Request{Key: KeyOf(key), Op: correlation.Join, Member: Member(n), Limit: 3}
}

// Hold returns a request that joins undecided.
func Hold(key, n int) correlation.Request {
	v := Join(key, n)
	v.Member.Held = true
	return v
}

// Look returns a request that does nothing.
func Look(key int) correlation.Request { return correlation.Request{Key: KeyOf(key)} }

// Release returns a request that decides a member.
func Release(key, n int) correlation.Request {
	return correlation.Request{Key: KeyOf(key), Op: correlation.Release, Member: Member(n), Limit: 3}
}

// RandomRequest returns a request for one of a few keys with one of a few members.
func RandomRequest(random *rand.Rand, keys int) correlation.Request {
	m := Member(random.IntN(12))
	m.ParentSpanID = pcommon.SpanID{1: byte(random.IntN(256))}
	m.Start = pcommon.Timestamp(random.Uint64N(1 << 62))
	m.End = m.Start + pcommon.Timestamp(random.Int64N(1<<random.IntN(60)+2)-1)
	m.Stages, m.Flags = uint8(random.IntN(256)), uint8(random.IntN(256))
	m.Kind = uint8(random.IntN(6))
	m.Log, m.Held = random.IntN(2) == 0, random.IntN(2) == 0
	if random.IntN(3) == 0 {
		m.TraceState = strings.Repeat("s", random.IntN(correlation.MaxTraceState+3))
	}
	return correlation.Request{
		Key: KeyOf(random.IntN(keys)), Op: [...]correlation.Op{0, 1, 1, 1, 2, 2}[random.IntN(6)], Member: m, Limit: 1 + random.IntN(6),
	}
}

// Written writes a result as
//
//	1@1 2@2-5 3@4- | 6
//
// for member 1 that came first, 2 that came second and was decided fifth, 3 that is undecided,
// and the request's own member, which came last.
func Written(r correlation.Result) string {
	if r.Poisoned {
		return "poison"
	}
	orders := func(came, decided correlation.Order) string {
		switch decided {
		case came:
			return fmt.Sprint(came)
		case correlation.Undecided:
			return fmt.Sprintf("%d-", came)
		default:
			return fmt.Sprintf("%d-%d", came, decided)
		}
	}
	text := ""
	for _, m := range r.Members {
		text += fmt.Sprintf("%d@%s ", m.SpanID[7], orders(m.Came, m.Decided))
	}
	return text + "| " + orders(r.Came, r.Decided)
}

// HashedKey returns a key that is as even as real ones.
func HashedKey(n uint64) correlation.Key {
	hash := xxh3.Hash128(binary.LittleEndian.AppendUint64(nil, n))
	return correlation.Key{Hi: hash.Hi, Lo: hash.Lo}
}

// Numbered returns the member with this number, of millions.
func Numbered(n uint64) (m correlation.Member) {
	binary.BigEndian.PutUint64(m.TraceID[8:], n+1)
	binary.BigEndian.PutUint64(m.SpanID[:], n+1)
	return m
}

// BatchOf is how many requests Fill makes at a time.
const BatchOf = 512

// Ignore does nothing with a result.
func Ignore(int, correlation.Result) {}

// Fill joins a member of each key from 0 on.
func Fill(b testing.TB, index Index, keys uint64) {
	batch := make([]correlation.Request, 0, BatchOf)
	for n := range keys {
		batch = append(batch, correlation.Request{Key: HashedKey(n), Op: correlation.Join, Member: Numbered(n), Limit: 64})
		if len(batch) == BatchOf || n == keys-1 {
			if err := index.Do(b.Context(), batch, Ignore); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
}
