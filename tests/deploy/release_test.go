// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
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

// releaseTool runs one of the programs that `make release-tools` builds, in the
// repository's folder.
func releaseTool(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), collectortest.Needs(t, "release-tools", filepath.Join(".tools/release", name)), args...)
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), env...)
	return toolOutput(t, cmd)
}

// toolOutput runs a command that has to succeed and returns what it prints.
func toolOutput(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	require.NoError(t, err, "%s\n%s%s", cmd, stdout, &stderr)
	return string(stdout)
}

// releaseFolder is what `make dist/linux-<this architecture>` makes, of the binary under
// test: a folder with the binary and its inventory.
func releaseFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	content, err := os.ReadFile(collectortest.Binary(t))
	require.NoError(t, err)
	binary := filepath.Join(dir, "otelcol-tc")
	require.NoError(t, os.WriteFile(binary, content, 0o755))
	releaseTool(t, nil, "inventory", "-version", releaseVersion(t), "-output", dir, binary)
	return dir
}

// releaseVersion is the one in builder-config.yaml, which all else follows.
func releaseVersion(t *testing.T) string {
	t.Helper()
	manifest, err := os.ReadFile("../../builder-config.yaml")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^  version: (\S+)$`).FindSubmatch(manifest)
	require.NotNil(t, found, "builder-config.yaml has no dist.version")
	return string(found[1])
}

// ownHosts counts the addresses that tests of this process have.
var ownHosts atomic.Uint32

// ownEndpoints are variables of the profiles that let a collector listen on the ports of the
// profiles, at an address that no other has: all of 127.0.0.0/8 is this machine's.
func ownEndpoints() map[string]string {
	pid := os.Getpid()
	host := fmt.Sprintf("127.%d.%d.%d", 100+ownHosts.Add(1), pid>>8&0xff, pid&0xff)
	return map[string]string{
		"OTELCOL_TC_OTLP_GRPC_ENDPOINT":  host + ":4317",
		"OTELCOL_TC_OTLP_HTTP_ENDPOINT":  host + ":4318",
		"OTELCOL_TC_PROMETHEUS_ENDPOINT": host + ":9464",
		"OTELCOL_TC_HEALTH_ENDPOINT":     host + ":13133",
		"OTELCOL_TC_READINESS_ENDPOINT":  host + ":13134",
		"OTELCOL_TC_PAGE_ENDPOINT":       host + ":55690",
		"OTELCOL_TC_TELEMETRY_HOST":      host,
	}
}
