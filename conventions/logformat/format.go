package logformat

import (
	"maps"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Format is a format of log records.
type Format struct {
	Name string
	// System is the pack that describes the format. It is empty for general formats.
	System string
	// Joins means that lines in no known format continue the record before them.
	Joins bool
	// Resource are resource attributes of the programs that write the format, sorted by key.
	Resource []Field

	// match parses a line. If the entry is nil, it only reports whether the line matches.
	match func(line string, e *Entry) bool
}

func newFormat(system string, description conventions.LogFormat) (*Format, error) {
	parsed, err := description.Layouts()
	if err != nil {
		return nil, err
	}
	layouts := make([]steps, len(parsed))
	for i, parts := range parsed {
		layouts[i] = newSteps(parts)
	}
	format := &Format{Name: description.Name, System: system, Joins: description.Joins, match: anyOf(layouts)}
	for _, key := range slices.Sorted(maps.Keys(description.Resource)) {
		format.Resource = append(format.Resource, Field{key, description.Resource[key]})
	}
	return format, nil
}

// anyOf returns a function that matches with the first layout that fits.
func anyOf(layouts []steps) func(string, *Entry) bool {
	return func(line string, e *Entry) bool {
		for _, l := range layouts {
			if e != nil {
				e.reset()
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
