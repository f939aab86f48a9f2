// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binaryVariable names the binary under test if it is not the repository's own.
const binaryVariable = "OTELCOL_TC_BINARY"

// Binary returns the path of the binary under test: $OTELCOL_TC_BINARY, or
// otelcol-tc beside go.mod.
func Binary(t testing.TB) string {
	t.Helper()
	path := os.Getenv(binaryVariable)
	if path == "" {
		path = filepath.Join(Root(t), "otelcol-tc")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("no binary to test: %v: run make build", err)
	}
	return path
}

// Program builds a program of tests/, and returns the path of its binary.
func Program(t testing.TB, name string) string {
	t.Helper()
	folder := filepath.Join(Root(t), "tests", name)
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources { // so that go test does not take an old result for a changed program
		if _, err := os.Stat(source); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(t.TempDir(), name)
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return binary
}

// Root returns the folder of go.mod. Tests run in the folder of their package.
func Root(t testing.TB) string {
	t.Helper()
	start, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no go.mod in %s or above it", start)
		}
	}
}

// Result is the result of a finished command.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a command of the binary that ends by itself, such as validate. It sets the variables of the
// built-in configurations as Start does.
func Run(t testing.TB, args ...string) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), Binary(t), args...)
	cmd.Env = processEnvironment(environment(t, t.TempDir(), nil))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Result{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}
