// SPDX-License-Identifier: Apache-2.0

package house

import (
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

// Each source file that somebody wrote names its licence, and has an empty line after it, apart from a package's
// comment and from build tags.
func TestSourceFilesNameTheirLicence(t *testing.T) {
	checked := 0
	require.NoError(t, filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err != nil {
			return err
		}
		if entry.IsDir() {
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
		text, interpreter := string(content), ""
		if strings.HasPrefix(text, "#!") {
			interpreter, text, _ = strings.Cut(text, "\n")
		}
		if end == "" && interpreter == "" || end == ".go" && generated.MatchString(text) {
			return err
		}
		checked++
		assert.True(t, strings.HasPrefix(text, licence+"\n"), "%s must begin with %q and an empty line", path, licence)
		return err
	}))
	assert.NotZero(t, checked)
}
