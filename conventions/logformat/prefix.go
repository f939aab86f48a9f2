// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/layout"
)

// maxNested bounds the prefixes before one line. A process that prints what another one has printed adds its
// own prefix: vLLM prints the lines of Ray's workers.
const maxNested = 3

// maxPrefix bounds the length of one prefix, in bytes. A prefix names a process, which is remembered, and a
// message may have its literal text anywhere.
const maxPrefix = 512

// Prefix is a prefix that stands before the lines of a record.
type Prefix struct {
	// System is the pack that describes the prefix, and Layout its layout there.
	System, Layout string
	// Text is the prefix without colours and without spaces at its end.
	Text string
}

// prefix is a layout of a prefix that is compiled for matching.
type prefix struct {
	system, layout string
	steps          steps
	// space means that a space ends the prefix. At the end of a line it may be missing. Further spaces
	// belong to the line: they indent it.
	space bool
	// literals is the length of its literal text.
	literals int
}

// prefixes are the prefixes to try, by the first byte of the line. Those with the most literal text come first: they
// tell best whose line it is. Others are in their order.
type prefixes [256][]*prefix

func newPrefixes(packs []*conventions.Pack) (*prefixes, error) {
	var all prefixes
	for _, pack := range packs {
		for i, text := range pack.Logs.Prefixes {
			parts, err := layout.ParsePrefix(text)
			if err != nil {
				return nil, fmt.Errorf("pack %s: logs.prefixes.%d: %w", pack.System, i, err)
			}
			p := &prefix{system: pack.System, layout: text, literals: literals(parts)}
			last := &parts[len(parts)-1]
			last.Text, p.space = strings.CutSuffix(last.Text, " ")
			p.steps = newSteps(parts, false)
			begin := parts[0].Text[0]
			all[begin] = append(all[begin], p)
		}
	}
	for i := range all {
		slices.SortStableFunc(all[i], func(a, b *prefix) int { return b.literals - a.literals })
	}
	return &all, nil
}

// literals returns the length of the literal text of a layout.
func literals(parts layout.Layout) (n int) {
	for _, part := range parts {
		if part.Kind == layout.Literal {
			n += len(part.Text)
		}
		n += len(part.Prefix) + len(part.Suffix)
	}
	return n
}

// end returns where the line after the prefix begins, or -1.
func (p *prefix) end(line string, e *Entry) int {
	end := p.steps.read(line, e)
	if end < 0 || !p.space || end == len(line) {
		return end
	}
	if line[end] != ' ' {
		return -1
	}
	return end + 1
}

// find returns the prefix that a line begins with, and its end. It is nil if there is none. A prefix counts
// even if what follows it is no line of a known format.
func (all *prefixes) find(line string) (*prefix, int) {
	if line == "" {
		return nil, 0
	}
	head := line[:min(len(line), maxPrefix+1)]
	for _, p := range all[line[0]] {
		if end := p.end(head, nil); end > 0 && end <= maxPrefix {
			return p, end
		}
	}
	return nil, 0
}

// cut returns the end of the prefixes that a record's first line begins with, and the system of the last one.
func (all *prefixes) cut(record string) (end int, system string) {
	if record == "" || all[record[0]] == nil {
		return 0, ""
	}
	line, _, _ := strings.Cut(record, "\n")
	for range maxNested {
		p, n := all.find(line[end:])
		if p == nil {
			break
		}
		end += n
		system = p.system
	}
	return end, system
}

// CutPrefix splits a line into the prefixes of packs that it begins with, without spaces at their end, and
// what follows them. The system is that of the last prefix. If the line has no prefix, rest is the line as it
// is; otherwise it has no colours. A prefix can also be the beginning of a message: it counts if what follows
// it is a line of a known format, or if other lines of the file have had it.
func (f *Formats) CutPrefix(line []byte) (prefix, rest []byte, system string) {
	text := WithoutColour(view(line))
	end, system := f.prefixes.cut(text)
	if end == 0 {
		return nil, line, ""
	}
	plain := line
	if len(text) != len(line) {
		plain = []byte(text)
	}
	return bytes.TrimRight(plain[:end], " "), plain[end:], system
}

// PutPrefix adds what prefixes say to an entry: Entry.Prefixes and attributes. Fields of the record
// have priority, then those of the prefix next to it. The text is one that CutPrefix has returned.
func (f *Formats) PutPrefix(text string, e *Entry) {
	var found [maxNested]*prefix
	var texts [maxNested]string
	count := 0
	for count < maxNested {
		p, end := f.prefixes.find(text)
		if p == nil {
			break
		}
		found[count], texts[count] = p, text[:end]
		e.Prefixes = append(e.Prefixes, Prefix{p.system, p.layout, strings.TrimRight(text[:end], " ")})
		text = text[end:]
		count++
	}
	for i := count - 1; i >= 0; i-- {
		attributes, resource := len(e.Attributes), len(e.Resource)
		found[i].end(texts[i], e)
		e.Attributes = unique(e.Attributes, attributes, func(a Attribute) string { return a.Key })
		e.Resource = unique(e.Resource, resource, func(f Field) string { return f.Key })
	}
}

// unique removes the items from an index on whose key an earlier item has.
func unique[T any](items []T, from int, key func(T) string) []T {
	kept := items[:from]
	for _, item := range items[from:] {
		if !slices.ContainsFunc(kept, func(other T) bool { return key(other) == key(item) }) {
			kept = append(kept, item)
		}
	}
	return kept
}

// HintOf returns the first format of a system, as a hint, or nil.
func (f *Formats) HintOf(system string) *Format {
	if system == "" {
		return nil
	}
	for _, format := range f.all {
		if format.System == system {
			return format
		}
	}
	return nil
}

// withoutPrefix removes a prefix from each line of a record that has it. The text is without colours.
func (f *Formats) withoutPrefix(record string, end int) string {
	prefix := strings.TrimRight(record[:end], " ")
	first, rest, several := strings.Cut(record, "\n")
	if !several {
		return record[end:]
	}
	var b strings.Builder
	b.WriteString(first[end:])
	for line := range strings.SplitSeq(rest, "\n") {
		b.WriteByte('\n')
		if n, _ := f.prefixes.cut(line); n > 0 && strings.TrimRight(line[:n], " ") == prefix {
			line = line[n:]
		}
		b.WriteString(line)
	}
	return b.String()
}

const escape = "\x1b["

// WithoutColour removes the escape sequences for colours and styles. Some loggers write them to files as
// well as to terminals, around a whole record or around its parts. They hold no text.
func WithoutColour(record string) string {
	if strings.IndexByte(record, escape[0]) < 0 {
		return record
	}
	at := strings.Index(record, escape)
	var plain strings.Builder
	plain.Grow(len(record))
	for ; at >= 0; at = strings.Index(record, escape) {
		end := endOfColour(record[at:])
		if end < 0 {
			plain.WriteString(record[:at+len(escape)])
			record = record[at+len(escape):]
			continue
		}
		plain.WriteString(record[:at])
		record = record[at+end:]
	}
	plain.WriteString(record)
	return plain.String()
}

// endOfColour returns the end of the sequence for a colour that a text begins with, or -1.
func endOfColour(text string) int {
	end := len(escape)
	for end < len(text) && (text[end]-'0' <= 9 || text[end] == ';' || text[end] == ':') {
		end++
	}
	// With K, writers of colours clear the rest of the line.
	if end < len(text) && (text[end] == 'm' || text[end] == 'K') {
		return end + 1
	}
	return -1
}
