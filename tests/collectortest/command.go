package collectortest

import (
	"bytes"
	"errors"
	"os/exec"
	"testing"
)

// Result is what a finished command left.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Run executes the binary with a command that ends by itself, such as validate.
// The variables of the built-in configurations are set as Start sets them.
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
