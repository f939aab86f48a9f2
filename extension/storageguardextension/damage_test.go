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

// damages are the ways in which files were seen or can be thought to be damaged.
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

// inPage returns an offset in the first bytes of some page.
func inPage(data []byte, random *rand.Rand, first int) int {
	return random.IntN(len(data)/pageSize)*pageSize + random.IntN(first)
}

func flip(data []byte, at int, random *rand.Rand) []byte {
	data[at] ^= 1 << random.IntN(8)
	return data
}

// Whatever was done to files, what is left of them after the guard can be opened, read to the
// end, filled and emptied, and none of it ends the process.
func TestWhatIsLeftCanBeUsed(t *testing.T) {
	directory := t.TempDir()
	store(t, directory, "long", 60, 6000)
	store(t, directory, "many", 1200, 90) // a tree with branches
	store(t, directory, "short", 3, 20)   // a bucket inside a page
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
	assert.Greater(t, aside, written/6, "most of the others are damaged in pages that are free, or in values")
	for _, base := range []string{"long", "many", "short"} {
		assert.Contains(t, left, filepath.Join(directory, fileOf(base)))
	}
	output, err := useAll(t, directory)
	require.NoError(t, err, "%s", output)
	assert.Equal(t, len(left), strings.Count(output, "using "))
}

// What the guard is for. When this fails, bbolt has learnt to refuse such files.
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
