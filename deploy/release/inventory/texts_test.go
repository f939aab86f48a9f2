// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/licenseclassifier/v2/assets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadTexts(t *testing.T) {
	known, err := assets.DefaultClassifier()
	require.NoError(t, err)
	mit, err := assets.ReadLicenseFile("License/MIT/pristine.txt")
	require.NoError(t, err)
	gpl, err := assets.ReadLicenseFile("License/GPL-3.0/license.txt")
	require.NoError(t, err)

	f := func(files map[string]string, want []string, wantErr string) {
		t.Helper()
		dir := t.TempDir()
		dirs := []string{dir, filepath.Join(dir, "sub")}
		require.NoError(t, os.Mkdir(dirs[1], 0o755))
		for name, content := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
		}
		m := module{Path: "example.com/m", Version: "v1.0.0", Dirs: dirs}
		var got error
		if m.Texts, got = readTexts(m, known); got == nil {
			got = check([]module{m})
		}
		if wantErr != "" {
			assert.EqualError(t, got, wantErr)
			return
		}
		require.NoError(t, got)
		var names []string
		for _, text := range m.Texts {
			names = append(names, text.Name)
		}
		assert.Equal(t, want, names)
	}

	f(map[string]string{"LICENSE": string(mit), "README.md": "read me"}, []string{"LICENSE"}, "")
	f(map[string]string{"License.txt": string(mit), "NOTICE": "of Foo Inc.", "license.go": "package m"}, []string{"License.txt", "NOTICE"}, "")
	f(map[string]string{"COPYING": string(mit), "sub/LICENSE-MIT": string(mit)}, []string{"COPYING", "sub/LICENSE-MIT"}, "")
	f(map[string]string{"README.md": "read me"}, nil, "example.com/m@v1.0.0 has no licence")
	f(map[string]string{"NOTICE": "of Foo Inc."}, nil, "example.com/m@v1.0.0 has no licence")
	f(map[string]string{"LICENSE": "Ask me first."}, nil, "example.com/m@v1.0.0: LICENSE is a licence that is not known")
	f(map[string]string{"LICENSE": string(gpl)}, nil, "example.com/m@v1.0.0: licence GPL-3.0 is not allowed")
	f(map[string]string{"LICENSE": string(mit), "sub/LICENSE": string(gpl)}, nil, "example.com/m@v1.0.0: licence GPL-3.0 is not allowed")
}

// An exception is for one module, and for one licence of it.
func TestCheckExceptions(t *testing.T) {
	docs := []text{{Licences: []string{"CC-BY-SA-4.0"}}}
	assert.NoError(t, check([]module{{Path: "github.com/opencontainers/go-digest", Texts: docs}}))
	assert.Error(t, check([]module{{Path: "github.com/opencontainers/other", Texts: docs}}))
	assert.Error(t, check([]module{{Path: "github.com/opencontainers/go-digest", Texts: []text{{Licences: []string{"FSFAP"}}}}}))
}
