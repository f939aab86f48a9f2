// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNamesAreNoIDs checks that no part of a name in testdata/operations.txt is taken for random
// text. Its first names are hard ones; the others are a sample of Go's libraries.
func TestNamesAreNoIDs(t *testing.T) {
	text, err := os.ReadFile("testdata/operations.txt")
	require.NoError(t, err)
	names := strings.Fields(string(text))
	require.Greater(t, len(names), 1000)
	for _, name := range names {
		rest, ids := splitIDs(name)
		assert.Empty(t, ids, name)
		assert.Equal(t, name, rest)
		_, ids = splitIDs("get " + name + " again")
		assert.Empty(t, ids, name)
	}
}

// TestRandomIDs checks that random ids of the usual forms are taken out of names, alone and at the
// end of a word. A few of them look like words by chance.
func TestRandomIDs(t *testing.T) {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"
	random := rand.New(rand.NewPCG(28, 0))
	drawn := func(letters string, n int) string {
		id := make([]byte, n)
		for i := range id {
			id[i] = letters[random.IntN(len(letters))]
		}
		return string(id)
	}
	bytes := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	for form, id := range map[string]func() string{
		"nanoid":       func() string { return drawn(alphabet, 21) },
		"base62 of 22": func() string { return drawn(alphabet[:62], 22) },
		"KSUID":        func() string { return drawn(alphabet[:62], 27) },
		"ULID":         func() string { return "01" + drawn("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24) },
		"cuid":         func() string { return "c" + drawn("0123456789abcdefghijklmnopqrstuvwxyz", 24) },
		"UUID": func() string {
			b := bytes(16)
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		},
		"base64, 16 bytes":  func() string { return base64.StdEncoding.EncodeToString(bytes(16)) },
		"base64url, 32":     func() string { return base64.RawURLEncoding.EncodeToString(bytes(32)) },
		"base64url, padded": func() string { return base64.URLEncoding.EncodeToString(bytes(10)) },
	} {
		const n = 2000
		*random = *rand.New(rand.NewPCG(28, 0)) // the order of the forms does not matter
		found := 0
		for range n {
			alone, _ := splitIDs("charge " + id())
			part, _ := splitIDs("charge order-" + id())
			if pascalCase(alone) == "Charge" && pascalCase(part) == "ChargeOrder" {
				found++
			}
		}
		t.Logf("%s: %d of %d", form, found, n)
		assert.Greater(t, found, n*8/10, form)
	}
	for _, id := range []string{"V1StGXR8_Z5jdHi6B-myT", "dGhpc2lzYXRlc3Q=", "TWFuIGlzIGRpc3Rpbmd1aXNoZWQ", "1srOrx2ZWZBpBUvZwXKQmoEYga2"} {
		rest, ids := splitIDs(id)
		assert.Equal(t, []string{id}, ids)
		assert.Empty(t, strings.TrimSpace(rest))
	}
}
