// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"errors"
	"fmt"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

const mebibyte = 1 << 20

var errNoDirectory = errors.New("directory: must be set")

// The functions below are called by generated_config.go. Each error names the key, the rule and the value.

func validatePatience(d time.Duration) error { return policy.Positive("patience", d) }

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

func validateFlushTimeout(d time.Duration) error { return policy.NotNegative("flush_timeout", d) }

func validateMinSize(bytes int) error { return policy.AtLeast("min_size", bytes, 1) }

func validateMinFree(bytes int) error { return policy.NotNegative("min_free", bytes) }

func validateDeadLetterSize(bytes int) error { return policy.NotNegative("dead_letter_size", bytes) }
