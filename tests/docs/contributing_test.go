// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The commands of CONTRIBUTING.md run, but for those that take minutes or would run this test:
// make's targets exist (tests/house), and so do the packages that go tests.
func TestCommandsOfContributing(t *testing.T) {
	text := readPage(t, "CONTRIBUTING.md")
	commands := text.commands()
	// Those below an item of a list are indented.
	for _, line := range strings.Split(text.text, "\n") {
		if command, found := strings.CutPrefix(line, "   ./"); found {
			commands += "./" + command + "\n"
		}
	}
	for line := range strings.Lines(commands) {
		words := strings.Fields(line)
		switch words[0] {
		case "make":
		case "go":
			for _, word := range words {
				if path, isPath := strings.CutPrefix(word, "./"); isPath {
					_, err := os.Stat(filepath.Join(repository, strings.TrimSuffix(path, "/...")))
					assert.NoError(t, err, line)
				}
			}
		case "./otelcol-tc":
			args := words[1:]
			for i, word := range args {
				if strings.Contains(word, "/") {
					args[i] = filepath.Join(collectortest.Root(t), word)
				}
			}
			result := collectortest.Run(t, args...)
			assert.Zero(t, result.Code, "%s\n%s", line, result.Stderr)
		default:
			require.Fail(t, "nothing checks this command", line)
		}
	}
}
