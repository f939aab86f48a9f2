package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

var notUTF8 = []string{"\xff", "a\xffb", "\xe2\x82", "\xe2\x82b", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\x80", "ä\xc3"}

func TestChunksOfATextAreCheckedAsTheWhole(t *testing.T) {
	for _, text := range append(notUTF8, "", "abc", "äöü€😀", "😀", "\ufffd", "\x00") {
		for first := range len(text) + 1 {
			for second := range len(text) - first + 1 {
				var u utf8Checker
				got := u.check([]byte(text[:first]), false) && u.check([]byte(text[first:][:second]), false) &&
					u.check([]byte(text[first+second:]), true)
				assert.Equal(t, utf8.ValidString(text), got, "%q %d %d", text, first, second)
			}
		}
	}
}

func TestShortTexts(t *testing.T) {
	for length := range 40 {
		for at := range length {
			for _, b := range []byte{0, 'a', 0x7f, 0x80, 0xc3, 0xff} {
				text := bytes.Repeat([]byte("x"), length)
				text[at] = b
				assert.Equal(t, utf8.Valid(text), validShort(text), "%q", text)
			}
		}
	}
	assert.True(t, validShort(nil))
	assert.True(t, validShort([]byte("Größe €😀")))
}

// The fields that are checked are those of which pdata makes texts.
func TestTextsAreThoseOfPdata(t *testing.T) {
	found := 0
	for _, s := range signals {
		all := ways(s.signal)
		all[s.signal.request()] = way{}
		for message, way := range all {
			for field := 1; field <= maxField; field++ {
				body := wrap(binary.AppendUvarint(nil, uint64(field)<<3|uint64(typeLength)), "\xff")
				for _, outer := range slices.Backward(way.fields) {
					if outer == 0 {
						outer = deprecatedField
					}
					body = wrap(binary.AppendUvarint(nil, uint64(outer)<<3|uint64(typeLength)), string(body))
				}
				request, err := s.fromProto(body)
				if err != nil {
					continue // the field is no text
				}
				json, err := request.json()
				assert.NoError(t, err)
				want := None
				if !utf8.Valid(json) {
					want = NotUTF8
					found++
				}
				for _, chunk := range []int{1, 2, math.MaxInt} {
					assert.Equal(t, want, feed(NewProtobuf(s.signal, unlimited), body, chunk), "message %d field %d", message, field)
				}
			}
		}
	}
	assert.Greater(t, found, 25)
}

func wrap(tag []byte, content string) []byte {
	return append(binary.AppendUvarint(tag, uint64(len(content))), content...)
}

func TestJSONIsUTF8(t *testing.T) {
	f := func(text string, want Rule) {
		t.Helper()
		for _, chunk := range []int{1, 2, math.MaxInt} {
			assert.Equal(t, want, feed(NewJSON(unlimited), []byte(`{"a":"`+text+`"}`), chunk), "%q", text)
		}
	}
	for _, text := range notUTF8 {
		f(text, NotUTF8)
	}
	f("äöü€😀", None)
	f(`\ud800`, None) // pdata makes U+FFFD of it
}
