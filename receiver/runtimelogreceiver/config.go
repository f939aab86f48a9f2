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
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// formatAuto is the value of Config.Format that detects the format of each record.
const formatAuto = "auto"

// The values of Config.Container.
const (
	containerNone = "none"
	containerAuto = "auto"
)

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
	if container != containerNone && container != containerAuto {
		return fmt.Errorf("container: must be none or auto (got %q)", container)
	}
	return nil
}

func validateRoots(roots []string) error {
	for _, root := range roots {
		if !filepath.IsAbs(root) {
			return fmt.Errorf("roots: must be absolute paths (got %q)", root)
		}
	}
	return nil
}

func validateStartAt(start string) error {
	if start != beginning && start != "end" {
		return fmt.Errorf("start_at: must be beginning or end (got %q)", start)
	}
	return nil
}

func validatePollInterval(interval time.Duration) error {
	if interval <= 0 {
		return fmt.Errorf("poll_interval: must be positive (got %s)", interval)
	}
	return nil
}

// minLogSize is large enough for the first fields of any line, in bytes.
const minLogSize = 1024

func validateMaxLogSize(size int) error {
	if size < minLogSize {
		return fmt.Errorf("max_log_size: must be at least %d (got %d)", minLogSize, size)
	}
	return nil
}

func validateMaxConcurrentFiles(files int) error {
	if files < 1 {
		return fmt.Errorf("max_concurrent_files: must be at least 1 (got %d)", files)
	}
	return nil
}

func validateFlushTimeout(timeout time.Duration) error {
	if timeout <= 0 {
		return fmt.Errorf("flush_timeout: must be positive (got %s)", timeout)
	}
	return nil
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
