// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/processor"
	"go.yaml.in/yaml/v3"
)

const (
	configFile      = "config.yaml"
	conventionsFile = "conventions.yaml"
	inputFile       = "input.yaml"
	outputFile      = "output.yaml"
)

// step is one document of the input: a batch or a time to wait.
type step struct {
	batch batch
	wait  time.Duration
}

// readConfig returns the settings of a case, validated as in the collector.
func readConfig(factory processor.Factory, dir string) (component.Config, error) {
	path := filepath.Join(dir, configFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	config := factory.CreateDefaultConfig()
	if err := unmarshal(content, config); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return config, nil
}

// readSteps returns the input of a case.
func readSteps(dir string) ([]step, error) {
	var steps []step
	err := eachDocument(filepath.Join(dir, inputFile), func(document map[string]any) error {
		if wait, ok := document["wait"]; ok && len(document) == 1 {
			duration, err := time.ParseDuration(fmt.Sprint(wait))
			steps = append(steps, step{wait: duration})
			return err
		}
		b, err := parse(document)
		steps = append(steps, step{batch: b})
		return err
	})
	if err == nil && len(steps) == 0 {
		err = fmt.Errorf("%s: must have a document", filepath.Join(dir, inputFile))
	}
	return steps, err
}

// eachDocument calls do for each non-empty document of a YAML file.
func eachDocument(path string, do func(document map[string]any) error) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for number := 1; ; number++ {
		var document map[string]any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && document != nil {
			err = do(document)
		}
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", path, number, err)
		}
	}
}
