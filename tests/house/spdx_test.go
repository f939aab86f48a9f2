// SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// licenceLines are how a source file begins, by the end of its name. A script has no end, and begins with #!.
var licenceLines = map[string]string{
	".go":  "// SPDX-License-Identifier: Apache-2.0\n",
	".js":  "// SPDX-License-Identifier: Apache-2.0\n",
	".css": "/* SPDX-License-Identifier: Apache-2.0 */\n",
	".py":  "# SPDX-License-Identifier: Apache-2.0\n",
	".sh":  "# SPDX-License-Identifier: Apache-2.0\n",
	"":     "# SPDX-License-Identifier: Apache-2.0\n",
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// Each source file that somebody wrote says what its licence is.
func TestSourceFilesNameTheirLicence(t *testing.T) {
	checked := map[string]int{}
	var missing []string // the commands that add it
	require.NoError(t, filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			name := entry.Name()
			if path != repository && name != ".ci" && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) || name == "testdata" || name == "dist" {
				return fs.SkipDir
			}
			return nil
		}
		end := filepath.Ext(path)
		licence, isSource := licenceLines[end]
		if !isSource || !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(content)
		interpreter := ""
		if strings.HasPrefix(text, "#!") {
			interpreter, text, _ = strings.Cut(text, "\n")
		}
		if end == "" && interpreter == "" || end == ".go" && generated.MatchString(text) {
			return nil
		}
		checked[end]++
		place := "1i" // before the first line
		if interpreter != "" {
			place = "1a" // after it
		}
		// The empty line keeps it apart from a package's comment and from build tags.
		if !strings.HasPrefix(text, licence+"\n") {
			missing = append(missing, fmt.Sprintf(`sed -i '%s %s\n' %s`, place, strings.TrimSpace(licence), strings.TrimPrefix(path, repository+"/")))
		}
		return nil
	}))
	if missing != nil {
		t.Errorf("these commands add the line that names the licence, and the empty line after it:\n%s", strings.Join(missing, "\n"))
	}
	for end := range licenceLines {
		if end != ".sh" { // none today
			assert.NotZero(t, checked[end], "files that end in %q", end)
		}
	}
}
