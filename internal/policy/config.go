// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Config is the settings of the conventions extension.
type Config struct {
	// Settings is a file with any of the other settings, which replace those here. It is read again when it changes.
	Settings string `mapstructure:"settings"`
	// Mode is enforce, which changes the data, or audit, which changes nothing and counts what enforce would
	// change. It is the mode of all components.
	Mode string `mapstructure:"mode"`
	// Packs are the convention packs, in the form that conventions.Load takes.
	Packs Packs `mapstructure:"packs"`
	// Prefix begins every conformant metric name.
	Prefix string `mapstructure:"prefix"`
	// Exempt are globs of metric names that stay as they are. Setting it replaces the default list.
	Exempt []string `mapstructure:"exempt"`
	// Unowned is what happens to the names of telemetry that no pack owns.
	Unowned Unowned `mapstructure:"unowned"`
	// Content is what happens to content of conversations, credentials and secrets in URLs, in all modes.
	Content content.Config `mapstructure:"content"`
	// CopiedAttributes is what happens to attributes that have copies.
	CopiedAttributes Originals `mapstructure:"copied_attributes"`
	// Owners are the systems whose packs' rules for owners apply.
	Owners []string `mapstructure:"owners"`
	// Services are settings of some services, by glob of service.name. A setting is that of the most specific
	// glob that has it.
	Services map[string]Service `mapstructure:"services"`
}

// NewDefaultConfig returns the defaults.
func NewDefaultConfig() *Config {
	return &Config{
		Mode: Enforce, Packs: Packs{conventions.Builtins}, Prefix: conventions.MetricPrefix,
		Exempt: slices.Clone(naming.DefaultExempt), Unowned: allUnowned(Pass), CopiedAttributes: KeepOriginals,
	}
}

// Validate returns the faults of the settings that the settings' own types do not check. Errors name the
// key, the rule and the value.
func (c *Config) Validate() error {
	_, _, err := c.check(conventions.Disk)
	return err
}

// check returns the settings with those of their file, and the packs, or the faults of both: also of log formats as a
// whole, and of the choice of packs with owners.
func (c *Config) check(read conventions.Files) (*Config, []*conventions.Pack, error) {
	all, packs, err := c.load(read)
	if err == nil {
		err = all.checkPacks(packs)
	}
	return all, packs, errors.Join(c.checkTexts(), err)
}

func (c *Config) load(read conventions.Files) (*Config, []*conventions.Pack, error) {
	all, _, err := c.ReadFrom(read)
	if err != nil {
		return nil, nil, err
	}
	packs, err := conventions.LoadFrom(read, all.Packs)
	return all, packs, err
}

func (c *Config) checkPacks(packs []*conventions.Pack) error {
	if _, err := logformat.New(packs); err != nil {
		return fmt.Errorf("packs: %w", err)
	}
	return conventions.CheckOwners(c.Owners, packs)
}

// Packs is a list of packs. A text is a list that is separated by commas, because an environment variable
// with one path is no list.
type Packs []any

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Packs) UnmarshalText(text []byte) error {
	*p = Packs{}
	for name := range strings.SplitSeq(string(text), ",") {
		if name = strings.TrimSpace(name); name != "" {
			*p = append(*p, name)
		}
	}
	return nil
}

// Service is the settings of some services. What is not set is as for the other services.
type Service struct {
	Mode    string  `mapstructure:"mode"`
	Unowned Unowned `mapstructure:"unowned"`
	// Content is what happens to content of conversations.
	Content content.Action `mapstructure:"content"`
	// ModelCalls means that all telemetry of the services is about calls to models: free text leaves only under keys
	// that are known to have no content.
	ModelCalls bool `mapstructure:"model_calls"`
	// CopiedAttributes is what happens to attributes that have copies.
	CopiedAttributes Originals `mapstructure:"copied_attributes"`
}

// Validate returns an error for an unknown mode.
func (s Service) Validate() error {
	if s.Mode == "" {
		return nil
	}
	return Mode(s.Mode)
}

// Originals is what happens to attributes that have copies under other keys.
type Originals string

// The values of Originals. The zero value means that it is not set.
const (
	KeepOriginals   Originals = "keep"   // they stay beside their copies
	RemoveOriginals Originals = "remove" // they are removed once they are copied
)

// Validate returns an error for an unknown value.
func (o Originals) Validate() error {
	if o != "" && o != KeepOriginals && o != RemoveOriginals {
		return fmt.Errorf("must be %s or %s (got %q)", KeepOriginals, RemoveOriginals, string(o))
	}
	return nil
}

// Action is what happens to names that no pack owns.
type Action string

// The values of Action. The zero value means that it is not set.
const (
	Pass   Action = "pass"   // they stay as they are
	Repair Action = "repair" // the general rules make them conformant
)

// Unowned is what happens to telemetry that no pack owns. A text is the action for all three.
type Unowned struct {
	Metrics    Action `mapstructure:"metrics"`
	Spans      Action `mapstructure:"spans"`
	Attributes Action `mapstructure:"attributes"`
}

func allUnowned(a Action) Unowned { return Unowned{a, a, a} }

// UnmarshalText implements encoding.TextUnmarshaler.
func (u *Unowned) UnmarshalText(text []byte) error {
	action := Action(text)
	if err := action.validate(); err != nil {
		return err
	}
	*u = allUnowned(action)
	return nil
}

// Validate returns an error for an unknown action.
func (u Unowned) Validate() error {
	var faults []error
	for _, setting := range []struct {
		key    string
		action Action
	}{{"metrics", u.Metrics}, {"spans", u.Spans}, {"attributes", u.Attributes}} {
		if err := setting.action.validate(); err != nil && setting.action != "" {
			faults = append(faults, fmt.Errorf("%s: %w", setting.key, err))
		}
	}
	return errors.Join(faults...)
}

func (a Action) validate() error {
	if a != Pass && a != Repair {
		return fmt.Errorf("must be %s or %s (got %q)", Pass, Repair, string(a))
	}
	return nil
}
