// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"errors"
	"fmt"
	"time"
)

const mebibyte = 1 << 20

var errNoDirectory = errors.New("directory: must be set")

// The functions below are called by generated_config.go. Each error names the key, the rule and the value.

func validatePatience(d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("patience: must be positive (got %s)", d)
	}
	return nil
}

func validateConsumers(n int) error {
	if n < 1 || n > 1000 {
		return fmt.Errorf("num_consumers: must be from 1 to 1000 (got %d)", n)
	}
	return nil
}

// validateTogether requires that a batch always fits into an empty queue.
func validateTogether(cfg *Config) error {
	if cfg.Batch.MaxSize < cfg.Batch.MinSize {
		return fmt.Errorf("batch::max_size: must be at least batch::min_size, %d (got %d)", cfg.Batch.MinSize, cfg.Batch.MaxSize)
	}
	if least := 2 * cfg.Batch.MaxSize; cfg.QueueSize < least {
		return fmt.Errorf("queue_size: must be at least twice batch::max_size, %d (got %d)", least, cfg.QueueSize)
	}
	return nil
}

func validateFlushTimeout(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("flush_timeout: must not be negative (got %s)", d)
	}
	return nil
}

func validateMinSize(bytes int) error {
	if bytes < 1 {
		return fmt.Errorf("min_size: must be at least 1 (got %d)", bytes)
	}
	return nil
}

func validateMinFree(bytes int) error { return notNegative("min_free", bytes) }

func validateDeadLetterSize(bytes int) error { return notNegative("dead_letter_size", bytes) }

func notNegative(key string, n int) error {
	if n < 0 {
		return fmt.Errorf("%s: must not be negative (got %d)", key, n)
	}
	return nil
}
