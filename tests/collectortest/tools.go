// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testsVariable selects the tests to run. If it is not set, a test runs if its tools are installed.
const (
	testsVariable = "TC_TESTS"
	// quick skips tests with tools that take minutes to build. Other tests fail without their tools. make
	// test sets it.
	quick = "quick"
	// all makes every test fail without its tools. make test-all sets it.
	all = "all"
)

// slow contains the make targets that take minutes. The name of a test that needs one must contain the
// word, because make test-all selects its tests by these words.
var slow = map[string]string{"browser": "Browser", "jaeger": "Jaeger", "kubernetes": "Kubernetes", "ray": "Ray"}

// Needs returns the path of a file of the repository that a make target provides, such as
// .tools/prometheus. Without the file it skips or fails the test.
func Needs(t testing.TB, target, file string) string {
	t.Helper()
	tests := os.Getenv(testsVariable)
	if word, ok := slow[target]; ok {
		name, _, _ := strings.Cut(t.Name(), "/")
		if !strings.Contains(name, word) {
			t.Fatalf("%s needs make %s: its name must contain %q, by which make test-all chooses it", name, target, word)
		}
		if tests == quick {
			t.Skipf("needs make %s: make test-all runs it", target)
		}
	}
	path := filepath.Join(Root(t), file)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if tests == quick || tests == all {
		t.Fatalf("no %s: run make %s", file, target)
	}
	t.Skipf("no %s: run make %s", file, target)
	return ""
}
