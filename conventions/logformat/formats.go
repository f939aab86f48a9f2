package logformat

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Formats is an ordered list of formats. It is safe for concurrent use.
type Formats struct {
	all []*Format
	// bySystem has, for each system, all formats with those of the system first.
	bySystem []order
}

type order struct {
	system  string
	formats []*Format
}

// New returns the formats of packs in their order, followed by the general formats.
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
			return nil, fmt.Errorf("logs.formats: %q must be the name of one format, but it is defined %s and %s",
				format.Name, all[at].origin(), format.origin())
		}
	}
	return newFormats(all), nil
}

func newFormats(all []*Format) *Formats {
	f := &Formats{all: all}
	for _, hint := range all {
		if slices.ContainsFunc(f.bySystem, func(o order) bool { return o.system == hint.System }) {
			continue
		}
		first, rest := order{system: hint.System}, []*Format(nil)
		for _, format := range all {
			if format.System == hint.System {
				first.formats = append(first.formats, format)
			} else {
				rest = append(rest, format)
			}
		}
		first.formats = append(first.formats, rest...)
		f.bySystem = append(f.bySystem, first)
	}
	return f
}

// Names returns the names of the formats in the order in which they are tried.
func (f *Formats) Names() []string {
	names := make([]string, len(f.all))
	for i, format := range f.all {
		names[i] = format.Name
	}
	return names
}

// Only returns a Formats that has only the named format.
func (f *Formats) Only(name string) (*Formats, error) {
	for _, format := range f.all {
		if format.Name == name {
			return newFormats([]*Format{format}), nil
		}
	}
	return nil, fmt.Errorf("no log format %q: known are %s", name, strings.Join(f.Names(), ", "))
}

// Match parses a record in the first format that matches its first line. It returns nil if no
// format matches. It tries the formats of the hint's system first; the hint can be nil. In a
// format that joins lines, the following lines belong to the body. Other formats do not match a
// record of several lines. Colours at both ends of the record are removed.
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

// Head returns the format in which a line begins a record, or nil. It is the format that Match
// would return.
func (f *Formats) Head(line []byte, hint *Format) *Format {
	// The formats keep no part of the text, so it need not be copied.
	text := trimColour(unsafe.String(unsafe.SliceData(line), len(line)))
	for _, format := range f.order(hint) {
		if format.match(text, nil) {
			return format
		}
	}
	return nil
}

// order returns the formats in the order in which to try them. All formats of the hint's system
// come first, rather than the hint alone: its layouts may match lines that an earlier format
// describes better.
func (f *Formats) order(hint *Format) []*Format {
	if hint != nil {
		for i := range f.bySystem {
			if f.bySystem[i].system == hint.System {
				return f.bySystem[i].formats
			}
		}
	}
	return f.all
}
