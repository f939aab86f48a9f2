// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Format is a format of log records.
type Format struct {
	Name string
	// System is the pack that describes the format. It is empty for general formats.
	System string
	// Joins means that lines in no known format continue the record before them.
	Joins bool
	// Indented restricts Joins to indented lines.
	Indented bool
	// RepeatsHead means that each line of a record begins with the head of the first one: what is before the body.
	RepeatsHead bool
	// Resource are resource attributes of the programs that write the format, sorted by key.
	Resource []Field

	// match parses a line. If the entry is nil, it only reports whether the line matches.
	match func(line string, e *Entry) bool
	// second is the layout of the second line of each record, or nil if a record begins with one line.
	second steps
	// begins are the bytes that a record can begin with.
	begins [256]bool
}

// newFormat compiles a format of a pack, or a general format if system is empty.
func newFormat(system string, description conventions.LogFormat) (*Format, error) {
	parsed, err := description.Layouts()
	if err != nil {
		return nil, err
	}
	format := &Format{Name: description.Name, System: system, Joins: description.Joins, RepeatsHead: description.RepeatsHead}
	layouts := make([]candidate, len(parsed))
	for i, parts := range parsed {
		layouts[i] = newCandidate(parts, system == "")
		for c, begins := range layouts[i].first {
			format.begins[c] = format.begins[c] || begins
		}
	}
	format.match = anyOf(layouts)
	second, err := description.SecondLayout()
	if err != nil {
		return nil, err
	}
	if second != nil {
		format.second = newSteps(second, system == "")
	}
	for _, key := range slices.Sorted(maps.Keys(description.Resource)) {
		format.Resource = append(format.Resource, Field{key, description.Resource[key]})
	}
	return format, nil
}

// IsSecond reports whether a line can be the second line of a record of the format. It is false if records
// of the format begin with one line.
func (f *Format) IsSecond(line []byte) bool {
	return f.second != nil && f.second.match(WithoutColour(view(line)), nil)
}

// HeadOf returns what is before the body of a line that begins a record, without colours. It is empty if the line
// does not. The entry is for reuse.
func (f *Format) HeadOf(line []byte, e *Entry) string {
	text := WithoutColour(view(line))
	e.Reset()
	if !f.match(text, e) || !strings.HasSuffix(text, e.Body) {
		return ""
	}
	return text[:len(text)-len(e.Body)]
}

// begin returns a table of the bytes that a record can begin with.
func begin(with string) (table [256]bool) {
	for i := range len(with) {
		table[with[i]] = true
	}
	return table
}

// anyOf returns a function that matches with the first layout that fits.
func anyOf(layouts []candidate) func(string, *Entry) bool {
	return func(line string, e *Entry) bool {
		missing := ""
		for i := range layouts {
			l := &layouts[i]
			if !l.beginsLike(line) {
				continue
			}
			if lacks := l.lacks(line, missing); lacks != "" {
				missing = lacks
				continue
			}
			if e != nil {
				e.Reset()
			}
			if l.match(line, e) {
				return true
			}
		}
		return false
	}
}

func (f *Format) origin() string {
	if f.System == "" {
		return "as a general format"
	}
	return "by pack " + f.System
}
