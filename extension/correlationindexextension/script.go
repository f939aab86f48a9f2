package correlationindexextension

import (
	"crypto/sha1"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"errors"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

//go:embed visit.lua
var scriptSource string

// scriptHash is the name by which Redis knows the script.
var scriptHash = scriptName()

func scriptName() string {
	sum := sha1.Sum([]byte(scriptSource)) // of no secret
	return hex.EncodeToString(sum[:])
}

// An element of a list is
//
//	 0 when it came, in digits           32 version       81 trace state
//	16 when it was decided, in digits    33 packed
//
// The version changes whenever a member of before cannot be read. Members of another
// version are not seen.
const (
	elementVersion = 1
	elementDecided = 16
	elementMember  = 32
	elementPacked  = 33
	elementState   = elementPacked + packedSize
)

var opNames = [...]string{correlation.Look: "look", correlation.Join: "join", correlation.Release: "release"}

// arguments are those of EVALSHA: the script, the name of one list, and the others.
func (r *shared) arguments(v *correlation.Visit) []any {
	visitor := ""
	if v.Op != correlation.Look {
		visitor = visitorOf(&v.Member)
	}
	var key [16]byte
	binary.BigEndian.PutUint64(key[:], v.Key.Hi)
	binary.BigEndian.PutUint64(key[8:], v.Key.Lo)
	return []any{
		scriptHash, 1, r.config.Redis.Prefix + hex.EncodeToString(key[:]),
		opNames[v.Op], r.config.Window.Microseconds(), v.Limit, visitor,
	}
}

// visitorOf is what becomes the end of an element.
func visitorOf(m *correlation.Member) string {
	var p packed
	state := p.pack(m)
	return string(rune(elementVersion)) + string(p[:]) + state
}

// What the script returns as the visitor's place.
const (
	placePoisoned = -1
	placePoisons  = -2
)

var errReply = errors.New("the script in redis returned what it never does")
