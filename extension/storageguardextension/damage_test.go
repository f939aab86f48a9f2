// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pageSize = 4096

// damages are the kinds of damage that were seen or are possible.
var damages = map[string]func(data []byte, random *rand.Rand) []byte{
	"truncated":      func(data []byte, random *rand.Rand) []byte { return data[:1+random.IntN(len(data)-1)] },
	"meta flipped":   func(data []byte, random *rand.Rand) []byte { return flip(data, random.IntN(2*pageSize), random) },
	"byte flipped":   func(data []byte, random *rand.Rand) []byte { return flip(data, random.IntN(len(data)), random) },
	"header flipped": func(data []byte, random *rand.Rand) []byte { return flip(data, inPage(data, random, 16), random) },
	"table flipped":  func(data []byte, random *rand.Rand) []byte { return flip(data, inPage(data, random, 200), random) },
	"zeros": func(data []byte, random *rand.Rand) []byte {
		page := inPage(data, random, 1)
		clear(data[page : page+pageSize])
		return data
	},
	"noise": func(data []byte, random *rand.Rand) []byte {
		page := inPage(data, random, 1)
		for i := range pageSize {
			data[page+i] = byte(random.Uint32())
		}
		return data
	},
	"another page": func(data []byte, random *rand.Rand) []byte {
		page := inPage(data, random, 1)
		copy(data[page:page+pageSize], data[inPage(data, random, 1):])
		return data
	},
}

// inPage returns an offset in the first bytes of a random page.
func inPage(data []byte, random *rand.Rand, first int) int {
	return random.IntN(len(data)/pageSize)*pageSize + random.IntN(first)
}

func flip(data []byte, at int, random *rand.Rand) []byte {
	data[at] ^= 1 << random.IntN(8)
	return data
}

// TestFilesAreUsableAfterTheGuard damages files at random. After the guard, each remaining file can be opened, read
// completely, filled and emptied, and none of it ends the process.
func TestFilesAreUsableAfterTheGuard(t *testing.T) {
	directory := t.TempDir()
	store(t, directory, "long", 60, 6000)
	store(t, directory, "many", 1200, 90) // a tree with branch pages
	store(t, directory, "short", 3, 20)   // an inline bucket
	random := rand.New(rand.NewPCG(1, 2))
	written := 0
	for _, base := range []string{"long", "many", "short"} {
		whole, err := os.ReadFile(filepath.Join(directory, fileOf(base)))
		require.NoError(t, err)
		for quarter := range 4 {
			path := filepath.Join(directory, fileOf(fmt.Sprintf("%s-quarter%d", base, quarter)))
			require.NoError(t, os.WriteFile(path, whole[:len(whole)*quarter/4], 0o600))
			written++
		}
		for _, name := range slices.Sorted(maps.Keys(damages)) {
			for i := range 12 {
				damaged := damages[name](bytes.Clone(whole), random)
				path := filepath.Join(directory, fileOf(fmt.Sprintf("%s-%s%d", base, strings.ReplaceAll(name, " ", "-"), i)))
				require.NoError(t, os.WriteFile(path, damaged, 0o600))
				written++
			}
		}
	}
	runGuard(t, directory)
	left, err := filepath.Glob(filepath.Join(directory, fileOf("*")))
	require.NoError(t, err)
	aside := written + 3 - len(left)
	t.Logf("%d of %d damaged files set aside", aside, written)
	assert.Greater(t, aside, written/6, "most other files are damaged in free pages or in values")
	for _, base := range []string{"long", "many", "short"} {
		assert.Contains(t, left, filepath.Join(directory, fileOf(base)))
	}
	output, err := useAll(t, directory)
	require.NoError(t, err, "%s", output)
	assert.Equal(t, len(left), strings.Count(output, "using "))
}

// This is the failure that the guard prevents. If the test fails, bbolt refuses such files itself.
func TestWithoutTheGuardTheProcessEnds(t *testing.T) {
	directory := t.TempDir()
	store(t, directory, "half", 60, 6000)
	path := filepath.Join(directory, fileOf("half"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, info.Size()/2))
	output, err := useAll(t, directory)
	require.Error(t, err)
	assert.Regexp(t, "panic: |fatal error: |unexpected fault address", output)

	runGuard(t, directory)
	output, err = useAll(t, directory)
	require.NoError(t, err, "%s", output)
}
