// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// packageFiles are what both packages install, each with its mode. All belong to root.
var packageFiles = []string{
	"/etc/otelcol-tc 0755",
	"/etc/otelcol-tc/otelcol-tc.env 0600",
	"/etc/otelcol-tc/otelcol-tc.yaml 0644",
	"/usr/bin/otelcol-tc 0755",
	"/usr/lib/systemd/system/otelcol-tc.service 0644",
	"/usr/lib/sysusers.d/otelcol-tc.conf 0644",
	"/usr/share/doc/otelcol-tc 0755",
	"/usr/share/doc/otelcol-tc/CHANGELOG.md 0644",
	"/usr/share/doc/otelcol-tc/LICENSE 0644",
	"/usr/share/doc/otelcol-tc/NOTICE 0644",
	"/usr/share/doc/otelcol-tc/README.md 0644",
	"/usr/share/doc/otelcol-tc/licences.csv 0644",
	"/usr/share/doc/otelcol-tc/licences.txt 0644",
	"/usr/share/doc/otelcol-tc/read-all-logs.conf 0644",
}

// packageConfigs are those of them that an administrator edits.
var packageConfigs = []string{"/etc/otelcol-tc/otelcol-tc.env", "/etc/otelcol-tc/otelcol-tc.yaml"}

// buildPackage returns the file of a package for this machine's architecture.
func buildPackage(t *testing.T, folder, kind string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "otelcol-tc."+kind)
	releaseTool(t, []string{"DIST=" + folder, "ARCH=" + runtime.GOARCH, "VERSION=" + releaseVersion(t), "SOURCE_DATE_EPOCH=1700000000"},
		"nfpm", "package", "--config", "deploy/packages/nfpm.yaml", "--packager", kind, "--target", path)
	return path
}

// testDeb looks at the package as dpkg sees it, and runs the service from it.
func testDeb(t *testing.T, folder string) {
	deb := buildPackage(t, folder, "deb")
	dpkgDeb := func(args ...string) string {
		return toolOutput(t, exec.CommandContext(t.Context(), "dpkg-deb", args...))
	}
	assert.Equal(t, releaseVersion(t), strings.TrimSpace(dpkgDeb("--field", deb, "Version")))
	assert.Equal(t, runtime.GOARCH, strings.TrimSpace(dpkgDeb("--field", deb, "Architecture")))

	var files []string
	for _, f := range readTar(t, strings.NewReader(dpkgDeb("--fsys-tarfile", deb))) {
		assert.Equal(t, "root:root", f.header.Uname+":"+f.header.Gname, f.header.Name)
		name := strings.TrimSuffix(strings.TrimPrefix(f.header.Name, "."), "/")
		if f.header.FileInfo().IsDir() && !strings.Contains(name, "otelcol-tc") {
			continue // the distribution's own, such as /usr
		}
		files = append(files, fmt.Sprintf("%s %04o", name, f.header.Mode))
	}
	slices.Sort(files)
	assert.Equal(t, packageFiles, files)

	control := map[string]string{}
	for _, f := range readTar(t, strings.NewReader(dpkgDeb("--ctrl-tarfile", deb))) {
		control[strings.TrimPrefix(f.header.Name, "./")] = string(f.content)
	}
	assert.Equal(t, packageConfigs, strings.Fields(control["conffiles"]))
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		requireScript(t, control[script])
	}

	root := t.TempDir()
	if os.Getuid() != 0 {
		t.Log("only root can install a package: unpacked instead")
		dpkgDeb("--extract", deb, root)
		testService(t, root)
		return
	}
	testInstalledDeb(t, deb, root)
}

// testInstalledDeb goes through a package's life below root: installed, upgraded, removed,
// purged.
func testInstalledDeb(t *testing.T, deb, root string) {
	admin := filepath.Join(root, "var/lib/dpkg")
	for _, dir := range []string{"info", "updates", "triggers"} {
		require.NoError(t, os.MkdirAll(filepath.Join(admin, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(admin, "status"), nil, 0o644))
	dpkg := func(args ...string) {
		t.Helper()
		// The scripts run on this machine, told by DPKG_ROOT where to work: there is nothing
		// else below root, and so no systemd to depend on.
		common := []string{"--root", root, "--log=/dev/null", "--force-script-chrootless", "--force-depends", "--force-unsafe-io"}
		toolOutput(t, exec.CommandContext(t.Context(), "dpkg", append(common, args...)...))
	}
	enabled := filepath.Join(root, "etc/systemd/system/multi-user.target.wants/otelcol-tc.service")
	config := filepath.Join(root, "etc/otelcol-tc/otelcol-tc.yaml")
	state := filepath.Join(root, "var/lib/otelcol-tc")

	dpkg("--install", deb)
	accounts, err := os.ReadFile(filepath.Join(root, "etc/passwd"))
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^otelcol-tc:.*:/var/lib/otelcol-tc:/usr/sbin/nologin$`, string(accounts))
	target, err := os.Readlink(enabled)
	require.NoError(t, err)
	assert.Equal(t, "/usr/lib/systemd/system/otelcol-tc.service", target)
	testService(t, root)

	const edited = "# of the administrator\n"
	require.NoError(t, os.WriteFile(config, []byte(edited), 0o644))
	require.NoError(t, os.Remove(enabled)) // systemctl disable
	dpkg("--install", deb)
	content, err := os.ReadFile(config)
	require.NoError(t, err)
	assert.Equal(t, edited, string(content), "an upgrade keeps what was edited")
	assert.NoFileExists(t, enabled, "an upgrade does not enable what was disabled")

	dpkg("--remove", "otelcol-tc")
	assert.FileExists(t, config)
	assert.DirExists(t, state)
	assert.NoFileExists(t, filepath.Join(root, "usr/bin/otelcol-tc"))
	dpkg("--purge", "otelcol-tc")
	assert.NoDirExists(t, filepath.Dir(config))
	assert.NoDirExists(t, state)
}

// testRPM looks at the package as rpm sees it, and runs the service from it.
func testRPM(t *testing.T, folder string) {
	file := buildPackage(t, folder, "rpm")
	tool := collectortest.Needs(t, "rpm", ".tools/rpm")
	rpm := func(args ...string) string { return toolOutput(t, exec.CommandContext(t.Context(), tool, args...)) }
	assert.Equal(t, releaseVersion(t), rpm("--query", "--package", "--queryformat", "%{VERSION}", file))
	assert.Equal(t, map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH],
		rpm("--query", "--package", "--queryformat", "%{ARCH}", file))

	var files []string
	for line := range strings.Lines(rpm("--query", "--package", "--queryformat",
		`[%{FILENAMES} %{FILEMODES:octal} %{FILEUSERNAME}:%{FILEGROUPNAME}\n]`, file)) {
		var name, mode, owner string
		_, err := fmt.Sscan(line, &name, &mode, &owner)
		require.NoError(t, err, line)
		assert.Equal(t, "root:root", owner, name)
		files = append(files, name+" "+mode[len(mode)-4:])
	}
	assert.Equal(t, packageFiles, files)
	assert.Equal(t, packageConfigs, strings.Fields(rpm("--query", "--package", "--configfiles", file)))
	// How many versions are left is the argument: 1 after an installation and before an upgrade
	// ends, 0 when the package goes.
	script := func(name, left string, want ...string) {
		content := rpm("--query", "--package", "--queryformat", "%{"+name+"}", file)
		requireScript(t, content)
		assert.Equal(t, want, unitCommands(t, content, left), "%s %s", name, left)
	}
	script("POSTIN", "1", "systemd-sysusers otelcol-tc.conf", "systemctl --no-reload preset otelcol-tc.service")
	script("POSTIN", "2", "systemd-sysusers otelcol-tc.conf")
	script("PREUN", "0", "systemctl --no-reload disable --now otelcol-tc.service")
	script("PREUN", "1")
	script("POSTUN", "0", "systemctl daemon-reload")
	script("POSTUN", "1", "systemctl daemon-reload", "systemctl try-restart otelcol-tc.service")

	// The root below which it is installed has no shell for the scripts.
	root := t.TempDir()
	rpm("--root", root, "--dbpath", "/var/lib/rpm", "--install", "--nodeps", "--noscripts", "--nosignature", file)
	testService(t, root)
	// Nothing but what was edited differs from the package.
	changed := exec.CommandContext(t.Context(), tool, "--root", root, "--dbpath", "/var/lib/rpm", "--verify", "--nodeps", "--noscripts", "otelcol-tc")
	report, _ := changed.Output() // its exit code says that something differs
	assert.Regexp(t, `^\S+ +c /etc/otelcol-tc/otelcol-tc.env\n$`, string(report))
}

// requireScript requires that a shell understands a script.
func requireScript(t *testing.T, script string) {
	t.Helper()
	require.True(t, strings.HasPrefix(script, "#!/bin/sh\n"), "%q", script)
	cmd := exec.CommandContext(t.Context(), "sh", "-n")
	cmd.Stdin = strings.NewReader(script)
	toolOutput(t, cmd)
}

// unitCommands runs a script with an argument, where systemd's tools only note that they were
// called, and returns their command lines.
func unitCommands(t *testing.T, script, argument string) []string {
	t.Helper()
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	for _, name := range []string{"systemctl", "systemd-sysusers"} {
		tool := fmt.Sprintf("#!/bin/sh\necho \"%s $*\" >> %s\n", name, calls)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(tool), 0o755))
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", script, "sh", argument)
	cmd.Env = []string{"PATH=" + dir}
	toolOutput(t, cmd)
	content, err := os.ReadFile(calls)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}
