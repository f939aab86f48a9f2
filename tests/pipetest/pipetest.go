// Package pipetest tests a processor against files: what it is set to, what
// comes in, what must come out.
//
//	func TestGolden(t *testing.T) {
//		pipetest.Run(t, namingprocessor.NewFactory(), "testdata")
//	}
//
// Every folder below testdata, but fuzz, where Go has the corpora of fuzz targets, is a case of
// three files:
//
//   - config.yaml: the processor's settings, as under its name in a collector's
//     configuration; empty for the defaults.
//   - input.yaml: what comes in, one batch per document, in OTLP's JSON form
//     written as YAML. The key resourceSpans, resourceMetrics or resourceLogs
//     decides the signal. A document `wait: 30s` lets that time pass.
//   - output.yaml: the batches that come out, in order, those of Shutdown
//     included. Every id, attribute and order counts. No document: nothing.
//
// The processor lives in a testing/synctest bubble: its time is fake, starts at
// 2000-01-01 00:00 UTC and passes only in a wait, and a goroutine that outlives
// Shutdown fails the test.
//
// UPDATE_GOLDEN=1 writes output.yaml anew; review the change as you do code.
package pipetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/collector/processor"
)

// updateVariable makes Run write the output files instead of checking them.
const updateVariable = "UPDATE_GOLDEN"

// corpora is the folder where Go keeps the corpora of fuzz targets.
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

// check runs one case and compares, or updates its output.
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
	difference, err := compare(dir, got)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v: %s=1 writes it", err, updateVariable)
	}
	if err != nil {
		t.Fatal(err)
	}
	if difference != "" {
		t.Errorf("%s differs (-want +got), %s=1 rewrites it:\n%s",
			filepath.Join(dir, outputFile), updateVariable, difference)
	}
}

// process returns, as YAML, what the processor makes of the case's input.
func process(t *testing.T, factory processor.Factory, dir string) (output string, err error) {
	t.Helper()
	config, err := readConfig(factory, dir)
	if err != nil {
		return "", err
	}
	steps, err := readSteps(dir)
	if err != nil {
		return "", err
	}
	var documents [][]byte
	synctest.Test(t, func(t *testing.T) {
		documents, err = feed(t.Context(), factory, config, steps)
	})
	if err != nil {
		return "", err
	}
	return marshal(documents)
}
