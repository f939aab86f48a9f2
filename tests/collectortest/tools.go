package collectortest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testsVariable chooses the tests that run. Unset, a test runs when what it needs is there.
const (
	testsVariable = "TC_TESTS"
	// quick leaves out the tests that need what takes minutes to build; the others fail
	// without what they need. make test sets it.
	quick = "quick"
	// all fails every test without what it needs. make test-all sets it.
	all = "all"
)

// slow are the targets of make that take minutes, and a word that the name of each test has
// that needs one: make test-all chooses its tests by these words.
var slow = map[string]string{"browser": "Browser", "jaeger": "Jaeger", "kubernetes": "Kubernetes"}

// Needs returns the path of a file of the repository that a target of make gets, such as
// .tools/prometheus. Without the file it skips the test, or fails it when the file has to be
// there.
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
