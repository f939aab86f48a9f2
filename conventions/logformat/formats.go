// SPDX-License-Identifier: Apache-2.0

// Package logformat parses records of text logs, by the layouts that packs describe and by
// general formats such as JSON and logfmt.
//
// A record is one line, or a line and its continuation lines. Its first line decides its
// format. New returns the formats of packs; Formats.Head finds the lines that begin a record,
// and Formats.Match parses a record into an Entry.
package logformat

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Formats is an ordered list of formats. It is safe for concurrent use.
type Formats struct {
	all []*Format
	// order are all formats, and bySystem are, for each system, all formats with those of the system
	// first.
	order    candidates
	bySystem map[string]*candidates
	prefixes *prefixes
}

// candidates are the formats to try, in their order, by the first byte of the record.
type candidates [256][]*Format

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
	prefixes, err := newPrefixes(packs)
	if err != nil {
		return nil, err
	}
	return newFormats(all, prefixes), nil
}

func newFormats(all []*Format, prefixes *prefixes) *Formats {
	f := &Formats{all: all, order: *newCandidates(all), bySystem: map[string]*candidates{}, prefixes: prefixes}
	for _, hint := range all {
		if hint.System == "" || f.bySystem[hint.System] != nil {
			continue
		}
		var first, rest []*Format
		for _, format := range all {
			if format.System == hint.System {
				first = append(first, format)
			} else {
				rest = append(rest, format)
			}
		}
		f.bySystem[hint.System] = newCandidates(append(first, rest...))
	}
	return f
}

func newCandidates(formats []*Format) *candidates {
	var table candidates
	for c := range table {
		for _, format := range formats {
			if format.begins[c] {
				table[c] = append(table[c], format)
			}
		}
		// Most bytes have the candidates of the byte before.
		if c > 0 && slices.Equal(table[c], table[c-1]) {
			table[c] = table[c-1]
		}
	}
	return &table
}

// Names returns the names of the formats in the order in which they are tried.
func (f *Formats) Names() []string {
	names := make([]string, len(f.all))
	for i, format := range f.all {
		names[i] = format.Name
	}
	return names
}

// Named returns a format, or nil.
func (f *Formats) Named(name string) *Format {
	for _, format := range f.all {
		if format.Name == name {
			return format
		}
	}
	return nil
}

// Only returns a Formats that has only the named format.
func (f *Formats) Only(name string) (*Formats, error) {
	if format := f.Named(name); format != nil {
		return newFormats([]*Format{format}, f.prefixes), nil
	}
	return nil, fmt.Errorf("no log format %q: known are %s", name, strings.Join(f.Names(), ", "))
}

// Match parses a record in the first format that matches its first line. It returns nil if no
// format matches. It tries the formats of the hint's system first; the hint can be nil. In a
// format that joins lines, the following lines belong to the body. Other formats do not match a
// record of several lines. The escape sequences of colours are removed, and so are prefixes of packs.
func (f *Formats) Match(record string, hint *Format, e *Entry) *Format {
	record = WithoutColour(record)
	if end, system := f.prefixes.cut(record); end > 0 {
		if format := f.match(f.withoutPrefix(record, end), f.hintFor(hint, system), e); format != nil {
			f.PutPrefix(record[:end], e)
			return format
		}
	}
	return f.match(record, hint, e)
}

// hintFor returns the hint for a line after a prefix: the given one, or else a format of the prefix's system.
func (f *Formats) hintFor(hint *Format, system string) *Format {
	if hint != nil {
		return hint
	}
	return f.HintOf(system)
}

// Parse parses a record as Match does. Format is the one that Head returned for its first line, so that no other is
// tried.
func (f *Formats) Parse(record string, format *Format, e *Entry) *Format {
	record = WithoutColour(record)
	if end, _ := f.prefixes.cut(record); end == 0 && format.parse(record, e) {
		return format
	}
	return f.Match(record, format, e)
}

func (f *Formats) match(record string, hint *Format, e *Entry) *Format {
	line, _, _ := strings.Cut(record, "\n")
	for _, format := range f.candidates(line, hint) {
		if format.parse(record, e) {
			return format
		}
	}
	e.Reset()
	return nil
}

// parse parses a record. It returns false if the record is not of the format.
func (f *Format) parse(record string, e *Entry) bool {
	line, rest, several := strings.Cut(record, "\n")
	if several && !f.Joins || !f.match(line, e) {
		return false
	}
	switch {
	case f.second != nil:
		second, _, _ := strings.Cut(rest, "\n")
		if !f.second.match(second, e) {
			return false
		}
		e.Body = rest[len(second)-len(e.Body):]
	case several && strings.HasSuffix(line, e.Body):
		e.Body = record[len(line)-len(e.Body):]
	case several: // pairs were cut off the body
		e.Body += record[len(line):]
	}
	if several && e.seeksSource {
		e.Body = e.cutSource(e.Body)
	}
	return true
}

// Head returns the format in which a line begins a record, or nil. It is the format that Match
// would return, unless the record lacks the second line that the format needs.
func (f *Formats) Head(line []byte, hint *Format) *Format {
	text := WithoutColour(view(line))
	if end, system := f.prefixes.cut(text); end > 0 {
		if format := f.head(text[end:], f.hintFor(hint, system)); format != nil {
			return format
		}
	}
	return f.head(text, hint)
}

func (f *Formats) head(text string, hint *Format) *Format {
	for _, format := range f.candidates(text, hint) {
		if format.match(text, nil) {
			return format
		}
	}
	return nil
}

// view returns a line as a string without copying it, for callees that keep no part of it.
func view(line []byte) string { return unsafe.String(unsafe.SliceData(line), len(line)) }

// candidates returns the formats to try. All formats of the hint's system come first, rather than the
// hint alone: its layouts may match lines that an earlier format describes better. A general hint changes
// nothing: a general format never precedes those of packs.
func (f *Formats) candidates(line string, hint *Format) []*Format {
	if line == "" {
		return nil // no format matches it
	}
	if hint != nil {
		if system := f.bySystem[hint.System]; system != nil {
			return system[line[0]]
		}
	}
	return f.order[line[0]]
}

//go:embed general.yaml
var generalYAML []byte

const asciiLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// generalFormats returns the formats that belong to no system: those that general.yaml
// describes, and those that no layout can describe.
func generalFormats() ([]*Format, error) {
	var described struct {
		Formats []conventions.LogFormat `yaml:"formats"`
	}
	if err := yaml.Unmarshal(generalYAML, &described); err != nil {
		return nil, fmt.Errorf("general.yaml: %w", err)
	}
	// These are first: their lines are recognised at once.
	general := []*Format{
		{Name: "json", match: matchJSON, begins: begin("{")},
		{Name: "logfmt", match: matchLogfmt, begins: begin("tlsm")},
	}
	for i, description := range described.Formats {
		format, err := newFormat("", description)
		if err != nil {
			return nil, fmt.Errorf("general.yaml: formats.%d.%w", i, err)
		}
		general = append(general, format)
	}
	return append(general, &Format{Name: "python_warning", Joins: true, Indented: true, match: matchWarning, begins: begin("/<.~" + asciiLetters)}), nil
}
