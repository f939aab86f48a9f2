// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"bytes"
	"errors"
	"os/exec"
	"testing"
)

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
