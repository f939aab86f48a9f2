// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/configs"
)

// exposureLimit is in tenths, as systemd-analyze takes it: a service without walls has 96,
// ours 18.
const exposureLimit = 20

// serviceUser is any that is not root: below root there may be no accounts.
const serviceUser = "65532:65532"

// testService runs the service of a package that is installed below root, as its unit and
// the edited file of its environment say.
func testService(t *testing.T, root string) {
	t.Helper()
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/otelcol-tc.service"))
	require.NoError(t, err)
	testUnit(t, root, string(unit))

	state := filepath.Join(root, "var/lib/otelcol-tc") // StateDirectory=
	require.NoError(t, os.MkdirAll(state, 0o750))
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(state, 65532, 65532))
	}
	env := serviceEnvironment(t, root, string(unit))
	j := newJail(t, root, serviceUser, env, "/var/lib/otelcol-tc")
	env["OTELCOL_TC_STATE"] = j.path("/var/lib/otelcol-tc")
	env["OTELCOL_TC_OPTIONS"] = strings.Replace(env["OTELCOL_TC_OPTIONS"], "/etc/otelcol-tc", j.path("/etc/otelcol-tc"), 1)

	command := func(key string) (string, []string) {
		words := strings.Fields(strings.Replace(unitValue(t, string(unit), key), "$OTELCOL_TC_OPTIONS", env["OTELCOL_TC_OPTIONS"], 1))
		return words[0], words[1:]
	}
	name, args := command("ExecStartPre")
	toolOutput(t, j.command(t, name, args...))
	name, args = command("ExecStart")
	j.requireRuns(t, name, args...)
}

// unitValue returns the value of a key that a unit has once.
func unitValue(t *testing.T, unit, key string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^`+key+`=(.*)$`).FindAllStringSubmatch(unit, -1)
	require.Len(t, found, 1, key)
	return found[0][1]
}

// testUnit asks systemd whether it understands the unit, and what it thinks of its walls.
func testUnit(t *testing.T, root, unit string) {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Log("no systemd-analyze here: the unit is not verified")
		return
	}
	// It looks for the program on this machine.
	file := filepath.Join(t.TempDir(), "otelcol-tc.service")
	unit = strings.ReplaceAll(unit, "/usr/bin/", filepath.Join(root, "usr/bin")+"/")
	require.NoError(t, os.WriteFile(file, []byte(unit), 0o644))
	said, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", file).CombinedOutput()
	require.NoError(t, err, string(said))
	assert.Empty(t, string(said))
	toolOutput(t, exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true",
		fmt.Sprintf("--threshold=%d", exposureLimit), file))
}

// serviceEnvironment edits the file of the service's environment, as an administrator would,
// so that the collector listens at an address of its own, and returns what a shell and
// systemd read from the unit and it.
func serviceEnvironment(t *testing.T, root, unit string) map[string]string {
	t.Helper()
	file := filepath.Join(root, "etc/otelcol-tc/otelcol-tc.env")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	edited := string(content)
	for name, value := range ownEndpoints() {
		line := regexp.MustCompile(`(?m)^#` + name + `=.*$`)
		edited = line.ReplaceAllLiteralString(edited, name+"="+value)
	}
	require.NoError(t, os.WriteFile(file, []byte(edited), 0o600))

	options, ok := strings.CutPrefix(strings.Trim(unitValue(t, unit, "Environment"), `"`), "OTELCOL_TC_OPTIONS=")
	require.True(t, ok)
	shell := exec.CommandContext(t.Context(), "sh", "-c", `set -a; . "$1"; exec env -0`, "sh", file)
	shell.Env = []string{"PATH=" + os.Getenv("PATH"), "OTELCOL_TC_OPTIONS=" + options}
	env := map[string]string{}
	for line := range strings.SplitSeq(toolOutput(t, shell), "\x00") {
		if name, value, _ := strings.Cut(line, "="); strings.HasPrefix(name, "OTELCOL_TC_") {
			env[name] = value
		}
	}
	return env
}

// podVariables are those of builtin:agent that are for a pod: what it is called, what it
// reads of Kubernetes, and where the machine is mounted in it.
var podVariables = map[string]bool{
	"KUBECONFIG": true, "OTELCOL_TC_KUBERNETES_AUTH": true, "OTELCOL_TC_NODE": true,
	"OTELCOL_TC_KUBELET": true, "OTELCOL_TC_POD_LOG_EXCLUDE": true, "OTELCOL_TC_POD_LOG_FILES": true, "OTELCOL_TC_POD_LOG_ROOTS": true,
	"OTELCOL_TC_POD_LOGS": true, "OTELCOL_TC_POD_WAIT": true,
	"OTELCOL_TC_HOST_ROOT": true, "OTELCOL_TC_HOST_NETWORK_ROOT": true,
}

// The file of the environment has all variables of the profiles, with the defaults that
// they have there.
func TestPackagesEnvironmentIsTheProfiles(t *testing.T) {
	content, err := os.ReadFile("../../deploy/packages/otelcol-tc.env")
	require.NoError(t, err)
	sections := strings.Split(string(content), "\n# --- ")
	require.Len(t, sections, 4)
	for profile, want := range map[string]map[string]string{
		"builtin:agent":   profileVariables(t, "agent.yaml", "fragments/agent-host.yaml"),
		"builtin:gateway": profileVariables(t, "gateway.yaml"),
	} {
		got := map[string]string{}
		for _, section := range sections[1:] {
			title, lines, _ := strings.Cut(section, "\n")
			if !strings.Contains(title, profile) {
				continue
			}
			for _, found := range regexp.MustCompile(`(?m)^#([A-Z_]+)=(.*)$`).FindAllStringSubmatch(lines, -1) {
				got[found[1]] = strings.Trim(found[2], "'")
			}
		}
		assert.Equal(t, want, got, profile)
	}
}

// profileVariables returns the variables that configurations and the process read, with their defaults.
func profileVariables(t *testing.T, files ...string) map[string]string {
	t.Helper()
	variables := map[string]string{"OTELCOL_TC_GARBAGE": "96"} // read by the process itself
	for _, file := range files {
		content, err := fs.ReadFile(configs.FS, file)
		require.NoError(t, err)
		for _, found := range regexp.MustCompile(`\$\{env:(\w+):-(.*?)\}`).FindAllStringSubmatch(string(content), -1) {
			if !podVariables[found[1]] {
				variables[found[1]] = found[2]
			}
		}
	}
	return variables
}
