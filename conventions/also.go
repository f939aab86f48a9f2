// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// AlsoRule copies the metrics whose original name matches. The copies have another name.
type AlsoRule struct {
	// Match is searched in the original name.
	Match *regexp.Regexp `yaml:"match"`
	// Name is the name of the copies. It need not have the prefix.
	Name string `yaml:"name"`
	// Where restricts the copies to the points with these attributes. The copies do not have them. Without it
	// all points are copied.
	Where map[string]string `yaml:"where"`
	// Attributes maps a point attribute of the original to the key that it has on the copy. Other attributes
	// keep their keys.
	Attributes map[string]string `yaml:"attributes"`
	// Set are attributes that every point of the copies has.
	Set map[string]string `yaml:"set"`
	// Unit is the real unit of the original's values if it states none, and the unit of the copies unless Convert is
	// another one. A metric that cannot be converted is not copied.
	Unit string `yaml:"unit"`
	// Convert is the unit of the copies, or empty.
	Convert string `yaml:"convert"`
	// Until is the day from which on nothing is copied, or zero.
	Until Date `yaml:"until"`
}

// Renaming is the conformant name of a metric. In YAML it is a text, or a mapping with also.
type Renaming struct {
	Name string
	// Also keeps the original name too, until a day. It is zero if the original is not kept.
	Also OriginalUntil
}

// UnmarshalYAML reads a name, or a name with also.
func (r *Renaming) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&r.Name)
	}
	var m struct {
		Name string        `yaml:"name"`
		Also OriginalUntil `yaml:"also"`
	}
	err := node.Decode(&m)
	r.Name, r.Also = m.Name, m.Also
	return err
}

// Date is the beginning of a day in UTC, or the zero time. In YAML it is YYYY-MM-DD.
type Date struct{ time.Time }

// UnmarshalText reads a date.
func (d *Date) UnmarshalText(text []byte) error { return d.read("", string(text)) }

// UntilDate is a Date. In YAML it is: until YYYY-MM-DD.
type UntilDate struct{ Date }

// UnmarshalText reads until and a date.
func (d *UntilDate) UnmarshalText(text []byte) error { return d.read("until ", string(text)) }

// OriginalUntil is a Date. In YAML it is: original until YYYY-MM-DD.
type OriginalUntil struct{ Date }

// UnmarshalText reads original until and a date.
func (d *OriginalUntil) UnmarshalText(text []byte) error {
	return d.read("original until ", string(text))
}

// read reads a date that follows the words.
func (d *Date) read(words, text string) (err error) {
	date, ok := strings.CutPrefix(text, words)
	if ok {
		d.Time, err = time.Parse(time.DateOnly, date)
	}
	if !ok || err != nil {
		return errors.New("must be " + words + "YYYY-MM-DD")
	}
	return nil
}

// dateFormats are the formats of dates in schema.json. Their errors say what a date must be.
var dateFormats = map[string]func(text string) error{
	"date":           func(text string) error { return new(Date).UnmarshalText([]byte(text)) },
	"until-date":     func(text string) error { return new(UntilDate).UnmarshalText([]byte(text)) },
	"original-until": func(text string) error { return new(OriginalUntil).UnmarshalText([]byte(text)) },
}
