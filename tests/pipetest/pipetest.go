// SPDX-License-Identifier: Apache-2.0

// Package pipetest tests a processor with golden files: the processor's settings, its input and the
// expected output.
//
//	func TestGolden(t *testing.T) {
//		pipetest.Run(t, namingprocessor.NewFactory(), "testdata")
//	}
//
// Every folder below testdata is a case of these files, except fuzz, which has the corpora of fuzz targets:
//
//   - config.yaml: the processor's settings, as under its name in a collector's configuration. It is empty
//     for the defaults.
//   - conventions.yaml: the settings of the conventions extension. Without the file there is no extension.
//   - input.yaml: the input batches, one per document, in OTLP's JSON form written as YAML. The key
//     resourceSpans, resourceMetrics or resourceLogs selects the signal. A document `wait: 30s` waits.
//   - output.yaml: the output batches in order, including those of Shutdown. Every id, attribute and
//     position must be equal. A file without documents means no output.
//
// The processor runs in a testing/synctest bubble. Its clock is fake, starts at 2000-01-01 00:00 UTC and
// advances only in a wait. A goroutine that outlives Shutdown fails the test.
//
// With UPDATE_GOLDEN=1 the tests write output.yaml. Review the change like code.
package pipetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/processor"
)

// updateVariable makes Run write the output files instead of comparing them.
const updateVariable = "UPDATE_GOLDEN"

// corpora is Go's folder for the corpora of fuzz targets.
const corpora = "fuzz"

// Run tests the processor against every case folder of dir, each as a subtest.
func Run(t *testing.T, factory processor.Factory, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, entry := range entries {
		if !entry.IsDir() || entry.Name() == corpora {
			continue
		}
		cases++
		t.Run(entry.Name(), func(t *testing.T) {
			check(t, factory, filepath.Join(dir, entry.Name()))
		})
	}
	if cases == 0 {
		t.Fatalf("no case folder in %s", dir)
	}
}

// check runs one case, and compares or updates its output.
func check(t *testing.T, factory processor.Factory, dir string) {
	t.Helper()
	got, err := process(t, factory, dir)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(updateVariable) != "" {
		if err := os.WriteFile(filepath.Join(dir, outputFile), []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(filepath.Join(dir, outputFile))
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v: %s=1 writes it", err, updateVariable)
	}
	if err != nil {
		t.Fatal(err)
	}
	// By line, so that the report shows the different lines with some context.
	if difference := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); difference != "" {
		t.Errorf("%s differs (-want +got), %s=1 rewrites it:\n%s",
			filepath.Join(dir, outputFile), updateVariable, difference)
	}
}

// process returns the output of a case as YAML.
func process(t *testing.T, factory processor.Factory, dir string) (output string, err error) {
	t.Helper()
	config, err := readConfig(factory, dir)
	if err != nil {
		return "", err
	}
	host, err := hostOf(t.Context(), dir)
	if err != nil {
		return "", err
	}
	steps, err := readSteps(dir)
	if err != nil {
		return "", err
	}
	var documents [][]byte
	synctest.Test(t, func(t *testing.T) {
		documents, err = feed(t.Context(), factory, config, host, steps)
	})
	if err != nil {
		return "", err
	}
	return marshal(documents)
}
