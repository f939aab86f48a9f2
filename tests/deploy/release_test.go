// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// What `make release` makes of the binary under test, for this machine's architecture.
func TestRelease(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("images and packages are for Linux")
	}
	t.Parallel()
	folder := releaseFolder(t)
	for name, test := range map[string]func(*testing.T, string){
		"inventory": testInventory, "image": testImage, "deb": testDeb, "rpm": testRPM,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, folder)
		})
	}
}

// testInventory holds what goes with the binary to what is in it: go version -m is the judge.
func testInventory(t *testing.T, folder string) {
	linked := linkedModules(t)
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		return content
	}

	var bom struct {
		BOMFormat  string
		Metadata   struct{ Component bomComponent }
		Components []bomComponent
	}
	require.NoError(t, json.Unmarshal(read("sbom.cdx.json"), &bom))
	assert.Equal(t, "CycloneDX", bom.BOMFormat)
	assert.Equal(t, "github.com/otelcol-tc/otelcol-tc", bom.Metadata.Component.Name)
	assert.Equal(t, releaseVersion(t), bom.Metadata.Component.Version)
	listed, licences := map[string]string{}, map[string][]string{}
	for _, c := range bom.Components {
		listed[c.Name] = c.Version
		// A plus is not a plus in an address.
		assert.Equal(t, "pkg:golang/"+c.Name+"@"+strings.ReplaceAll(c.Version, "+", "%2B"), c.PURL)
		for _, l := range c.Licenses {
			licences[c.Name] = append(licences[c.Name], l.License.ID)
		}
		assert.NotEmpty(t, licences[c.Name], c.Name)
	}
	assert.Equal(t, linked, listed)

	table, err := csv.NewReader(strings.NewReader(string(read("licences.csv")))).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"module", "version", "licences", "files"}, table[0])
	assert.Len(t, table[1:], len(linked))
	texts := licenceTexts(string(read("licences.txt")))
	for _, line := range table[1:] {
		module, version, files := line[0], line[1], line[3]
		assert.Equal(t, linked[module], version, module)
		assert.Equal(t, licences[module], strings.Fields(line[2]), module)
		assert.NotEmpty(t, files, module)
		for file := range strings.FieldsSeq(files) {
			assert.NotEmpty(t, texts[module+"@"+version+" "+file], "text of %s %s", module, file)
		}
	}
	assert.Contains(t, texts["go.uber.org/zap@"+linked["go.uber.org/zap"]+" LICENSE"], "Permission is hereby granted")
}

type bomComponent struct {
	Name, Version, PURL string
	Licenses            []struct{ License struct{ ID string } }
}

// linkedModules returns the versions of the modules that the go command finds in the binary,
// and of Go itself.
func linkedModules(t *testing.T) map[string]string {
	t.Helper()
	modules := map[string]string{}
	for line := range strings.Lines(toolOutput(t, exec.CommandContext(t.Context(), "go", "version", "-m", collectortest.Binary(t)))) {
		fields := strings.Fields(line)
		switch {
		case fields[0] == "dep" || fields[0] == "=>":
			modules[fields[1]] = fields[2]
		case strings.HasSuffix(fields[0], ":"):
			modules["std"] = strings.TrimPrefix(fields[1], "go")
		}
	}
	require.Greater(t, len(modules), 100)
	return modules
}

// licenceHeading is what stands over each text: the files that it is, between rules.
var licenceHeading = regexp.MustCompile(`(?m)^={80}\n((?:\S+@\S+ \S+\n)+)={80}\n`)

// licenceTexts returns the texts of licences.txt by module and file.
func licenceTexts(report string) map[string]string {
	texts := map[string]string{}
	headings := licenceHeading.FindAllStringSubmatchIndex(report, -1)
	for i, heading := range headings {
		end := len(report)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		for file := range strings.Lines(report[heading[2]:heading[3]]) {
			texts[strings.TrimSpace(file)] = strings.TrimSpace(report[heading[1]:end])
		}
	}
	return texts
}

// All that bears a version bears the manifest's.
func TestReleaseVersion(t *testing.T) {
	t.Parallel()
	result := collectortest.Run(t, "--version")
	assert.Equal(t, "otelcol-tc version "+releaseVersion(t)+"\n", result.Stdout)
}
