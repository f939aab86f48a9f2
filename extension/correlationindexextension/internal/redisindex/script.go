// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

//go:embed request.lua
var scriptSource string

// scriptHash is the script's name in Redis.
var scriptHash = redis.NewScript(scriptSource).Hash()

// An element of a list is
//
//	 0 when it came, in digits           32 version       85 trace state
//	16 when it was decided, in digits    33 packed
//
// The version changes whenever older members cannot be read. Members of another version are
// not found.
const (
	elementVersion = 2
	elementDecided = 16
	elementMember  = 32
	elementPacked  = 33
	elementState   = elementPacked + member.Size
)

var opNames = [...]string{correlation.Look: "look", correlation.Join: "join", correlation.Release: "release"}

// keys returns the name of the key's list.
func (x *Index) keys(v *correlation.Request) []string {
	var key [16]byte
	binary.BigEndian.PutUint64(key[:], v.Key.Hi)
	binary.BigEndian.PutUint64(key[8:], v.Key.Lo)
	return []string{x.Prefix + hex.EncodeToString(key[:])}
}

// arguments returns the script's arguments. The last becomes the end of an element.
func (x *Index) arguments(v *correlation.Request) []any {
	own := ""
	if v.Op != correlation.Look {
		var p member.Packed
		state := p.Pack(&v.Member)
		own = string(rune(elementVersion)) + string(p[:]) + state
	}
	return []any{opNames[v.Op], x.MaxAge.Microseconds(), v.Limit, own}
}

// What the script returns in place of the member's place.
const (
	placePoisoned = -1
	placePoisons  = -2
)

var errReply = errors.New("the script in redis returned what it never does")
