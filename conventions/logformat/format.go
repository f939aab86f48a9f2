package logformat

import (
	"maps"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Format is how a log is written.
type Format struct {
	Name string
	// System is the pack that describes it, empty for general formats.
	System string
	// Joins tells that lines which no format knows go on with the record.
	Joins bool
	// Resource are resource attributes of whoever writes it, sorted by key.
	Resource []Field

	// match takes a line apart. Without an entry it only tells whether it can.
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

// anyOf matches with the first layout that does.
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
		return "a general one"
	}
	return "described by pack " + f.System
}
