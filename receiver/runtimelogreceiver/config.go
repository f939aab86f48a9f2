// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
	_ "time/tzdata" // a container may have no time zones

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// formatAuto is the value of Config.Format that detects the format of each record.
const formatAuto = "auto"

// containerAuto is the value of Config.Container that parses the lines of container runtimes.
const containerAuto = "auto"

// beginning is the value of Config.StartAt that reads existing files from their beginning.
const beginning = "beginning"

// The validators that generated_config.go calls. Each error names the key, the rule and the
// value.

// validateFiles validates the patterns.
func validateFiles(cfg *Config) error {
	return errors.Join(validateGlobs("include", cfg.Include), validateGlobs("exclude", cfg.Exclude))
}

func validateGlobs(key string, patterns []string) error {
	if err := tail.ValidateGlobs(patterns); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func validateContainer(container string) error {
	return policy.OneOf("container", container, "none", containerAuto)
}

func validateRoots(roots []string) error {
	for _, root := range roots {
		if !filepath.IsAbs(root) {
			return fmt.Errorf("roots: must be absolute paths (got %q)", root)
		}
	}
	return nil
}

func validateStartAt(start string) error { return policy.OneOf("start_at", start, beginning, "end") }

func validatePollInterval(interval time.Duration) error {
	return policy.Positive("poll_interval", interval)
}

// minLogSize is large enough for the first fields of any line, in bytes.
const minLogSize = 1024

func validateMaxLogSize(size int) error { return policy.AtLeast("max_log_size", size, minLogSize) }

func validateMaxConcurrentFiles(files int) error {
	return policy.AtLeast("max_concurrent_files", files, 1)
}

func validateFlushTimeout(timeout time.Duration) error {
	return policy.Positive("flush_timeout", timeout)
}

func validateLocation(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" {
		return fmt.Errorf("location: must be a name of the IANA time zone database, such as Europe/Berlin, or Local (got %q)", name)
	}
	return nil
}

func validatePaths(paths []PathsItem) error {
	var errs []error
	for i, item := range paths {
		if item.Match == "" {
			errs = append(errs, fmt.Errorf("paths[%d].match: must be a pattern", i))
		}
	}
	_, err := newResources(&Config{Paths: paths})
	return errors.Join(append(errs, err)...)
}

// formats returns the formats that records may have.
func (cfg *Config) formats(packs []*conventions.Pack) (*logformat.Formats, error) {
	formats, err := logformat.New(packs)
	if err != nil {
		return nil, fmt.Errorf("packs: %w", err)
	}
	if cfg.Format == formatAuto {
		return formats, nil
	}
	only, err := formats.Only(cfg.Format)
	if err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	return only, nil
}
