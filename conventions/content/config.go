// SPDX-License-Identifier: Apache-2.0

package content

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/config/configopaque"
)

// Action is what happens to a value.
type Action string

// The actions. The zero value means that none is set.
const (
	Redact   Action = "redact"   // a fixed text replaces it
	Hash     Action = "hash"     // the beginning of a hash replaces it, the same one for equal texts
	Truncate Action = "truncate" // its beginning stays
	Keep     Action = "keep"     // it stays
)

// Validate returns an error for an unknown action.
func (a Action) Validate() error {
	if !slices.Contains([]Action{"", Redact, Hash, Truncate, Keep}, a) {
		return fmt.Errorf("must be redact, hash, truncate or keep (got %q)", string(a))
	}
	return nil
}

// Config is the setting content. The zero Config redacts all content and all secrets.
type Config struct {
	// Default is what happens to content, unless the service has a setting of its own. Empty means Redact.
	Default Action `mapstructure:"default"`
	// HashKey makes hashes differ from those of other installations. Without it, who guesses a text can
	// check the guess.
	HashKey configopaque.String `mapstructure:"hash_key"`
	// TruncateBytes is how much of a text stays. 0 means 256.
	TruncateBytes int `mapstructure:"truncate_bytes"`
	// Keys are globs of further keys with content. A glob that ends in .* matches the key before it too.
	Keys []string `mapstructure:"keys"`
	// Allow are globs of keys that are neither content nor credentials. Secrets in their URLs do not stay.
	Allow []string `mapstructure:"allow"`
	// Secrets is what happens to credentials and to secrets in URLs: Redact or Keep. Empty means Redact.
	Secrets Action `mapstructure:"secrets"`
	// SecretKeys are further last words of keys with credentials, in lower_snake_case.
	SecretKeys []string `mapstructure:"secret_keys"`
	// SecretParameters are further names of URL parameters with secrets.
	SecretParameters []string `mapstructure:"secret_parameters"`
}

// UnmarshalText implements encoding.TextUnmarshaler: a text is the default action.
func (c *Config) UnmarshalText(text []byte) error {
	action := Action(text)
	if err := action.Validate(); err != nil {
		return err
	}
	*c = Config{Default: action}
	return nil
}

const (
	defaultTruncateBytes = 256
	maxTruncateBytes     = 1 << 16
	maxGlobs             = 1000
)

// Validate returns the faults of the settings. Errors name the key, the rule and the value.
func (c Config) Validate() error {
	var faults []error
	add := func(key string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", key, err))
		}
	}
	// The actions of Default are checked by their own Validate.
	if c.Secrets != "" && c.Secrets != Redact && c.Secrets != Keep {
		add("secrets", fmt.Errorf("must be redact or keep (got %q)", string(c.Secrets)))
	}
	if c.TruncateBytes < 0 || c.TruncateBytes > maxTruncateBytes {
		add("truncate_bytes", fmt.Errorf("must be at most %d, or 0 for %d (got %d)", maxTruncateBytes, defaultTruncateBytes, c.TruncateBytes))
	}
	add("keys", checkGlobs(c.Keys))
	add("allow", checkGlobs(c.Allow))
	add("secret_keys", checkNames(c.SecretKeys))
	add("secret_parameters", checkNames(c.SecretParameters))
	return errors.Join(faults...)
}

func checkGlobs(globs []string) error {
	if len(globs) > maxGlobs {
		return fmt.Errorf("must have at most %d globs (got %d)", maxGlobs, len(globs))
	}
	for _, glob := range globs {
		if strings.Trim(glob, "*.") == "" {
			return fmt.Errorf("must have more than stars and dots (got %q)", glob)
		}
	}
	return nil
}

func checkNames(names []string) error {
	if len(names) > maxGlobs {
		return fmt.Errorf("must have at most %d names (got %d)", maxGlobs, len(names))
	}
	for _, name := range names {
		if name == "" || strings.Contains(name, "*") {
			return fmt.Errorf("must be names without stars (got %q)", name)
		}
	}
	return nil
}
