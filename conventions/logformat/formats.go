package logformat

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Formats are those that records are looked up in. It is safe for concurrent use.
type Formats struct {
	all []*Format
	// hinted are all, with those of one system first.
	hinted []order
}

type order struct {
	system  string
	formats []*Format
}

// New returns the packs' formats, in order, and then the general ones.
func New(packs []*conventions.Pack) (*Formats, error) {
	var all []*Format
	for _, pack := range packs {
		for i, description := range pack.Logs.Formats {
			format, err := newFormat(pack.System, description)
			if err != nil {
				return nil, fmt.Errorf("pack %s: logs.formats.%d.%w", pack.System, i, err)
			}
			all = append(all, format)
		}
	}
	general, err := generalFormats()
	if err != nil {
		return nil, err
	}
	all = append(all, general...)
	for i, format := range all {
		at := slices.IndexFunc(all, func(f *Format) bool { return f.Name == format.Name })
		if at < i {
			return nil, fmt.Errorf("logs.formats: %q must be the name of one format: it is %s and %s",
				format.Name, all[at].origin(), format.origin())
		}
	}
	return newFormats(all), nil
}

func newFormats(all []*Format) *Formats {
	f := &Formats{all: all}
	for _, hint := range all {
		if slices.ContainsFunc(f.hinted, func(o order) bool { return o.system == hint.System }) {
			continue
		}
		first, others := order{system: hint.System}, []*Format(nil)
		for _, format := range all {
			if format.System == hint.System {
				first.formats = append(first.formats, format)
			} else {
				others = append(others, format)
			}
		}
		first.formats = append(first.formats, others...)
		f.hinted = append(f.hinted, first)
	}
	return f
}

// Names returns the names of the formats in the order they are tried.
func (f *Formats) Names() []string {
	names := make([]string, len(f.all))
	for i, format := range f.all {
		names[i] = format.Name
	}
	return names
}

// Only returns one of the formats alone.
func (f *Formats) Only(name string) (*Formats, error) {
	for _, format := range f.all {
		if format.Name == name {
			return newFormats([]*Format{format}), nil
		}
	}
	return nil, fmt.Errorf("no log format %q: known are %s", name, strings.Join(f.Names(), ", "))
}

// Match takes a record apart by the first format that knows its first line, or
// returns nil. Formats of the hint's system are tried first; the hint can be nil. Of
// a format that joins, the lines that follow go to the body; another knows no record
// of several lines. Colours at the record's ends are no part of it.
func (f *Formats) Match(record string, hint *Format, e *Entry) *Format {
	record = trimColour(record)
	line, _, several := strings.Cut(record, "\n")
	for _, format := range f.order(hint) {
		if several && !format.Joins || !format.match(line, e) {
			continue
		}
		if several {
			e.Body = record[len(line)-len(e.Body):]
		}
		return format
	}
	e.reset()
	return nil
}

// Head tells whether a line begins a record: it returns what Match would.
func (f *Formats) Head(line []byte, hint *Format) *Format {
	// Nothing of the text is kept, so it need not be copied.
	text := trimColour(unsafe.String(unsafe.SliceData(line), len(line)))
	for _, format := range f.order(hint) {
		if format.match(text, nil) {
			return format
		}
	}
	return nil
}

// order is what to try. All of the hint's system come first, not the hint: its layouts
// may fit lines that an earlier format describes better.
func (f *Formats) order(hint *Format) []*Format {
	if hint != nil {
		for i := range f.hinted {
			if f.hinted[i].system == hint.System {
				return f.hinted[i].formats
			}
		}
	}
	return f.all
}
