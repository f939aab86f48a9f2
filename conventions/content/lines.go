// SPDX-License-Identifier: Apache-2.0

package content

import (
	_ "embed"
	"math/bits"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

//go:embed lines.yaml
var linesYAML []byte

// lineDocument is lines.yaml, which says what it has.
type lineDocument struct {
	Keys         []string     `yaml:"keys"`
	RecordFields []string     `yaml:"record_fields"`
	Sources      []lineSource `yaml:"sources"`

	keys, recordFields map[string]bool
}

type lineSource struct {
	Source string `yaml:"source"` // the program with its version, or the date of what was read
	Label  string `yaml:"label"`
	Fields string `yaml:"fields"`
	Lines  []line `yaml:"lines"`
}

type line struct {
	Has     string    `yaml:"has"`
	Where   [2]string `yaml:"where"`
	Debug   bool      `yaml:"debug"`
	Pattern string    `yaml:"pattern"`
	Fields  bool      `yaml:"fields"`
	Search  bool      `yaml:"search"`
}

var logLines = sync.OnceValue(func() *lineDocument {
	d := &lineDocument{}
	if err := yaml.Unmarshal(linesYAML, d); err != nil {
		panic(err) // every test reads the embedded file
	}
	d.keys, d.recordFields = set(d.Keys), set(d.RecordFields)
	return d
})

// lineRule is a line of lines.yaml, compiled.
type lineRule struct {
	line
	value   glob.Glob // of the attribute Where[0]
	pattern *regexp.Regexp
	rule    *Rule
}

// addLines adds the rules for lines of logs.
func (p *Policy) addLines() {
	for _, source := range logLines().Sources {
		rule := p.rule(newContentRule(source.Label))
		rule.program = true
		if matchAny(p.allow, source.Label) {
			continue
		}
		for _, l := range source.Lines {
			p.markers.add(len(p.lines), l.Has)
			if l.Where[0] != "" || l.Debug {
				p.ofPrograms |= 1 << len(p.lines)
			}
			pattern := regexp.MustCompile("(?s)" + strings.ReplaceAll(l.Pattern, "{fields}", source.Fields))
			p.lines = append(p.lines, lineRule{l, glob.New(l.Where[1]), pattern, rule})
		}
	}
}

// Record is the log record of a line.
type Record interface {
	// Attribute returns an attribute's text, or an empty text.
	Attribute(key string) string
	// Debug reports whether the level is DEBUG or below.
	Debug() bool
}

func (l *lineRule) applies(record Record) bool {
	if l.Debug && !record.Debug() {
		return false
	}
	return l.Where[0] == "" || l.value.Match(record.Attribute(l.Where[0]))
}

// Programs returns the rules for all lines of a program that apply to a record, as bits.
func (p *Policy) Programs(record Record) (programs uint64) {
	for rest := p.ofPrograms; rest != 0; rest &= rest - 1 {
		if l := &p.lines[bits.TrailingZeros64(rest)]; l.applies(record) {
			programs |= rest & -rest
		}
	}
	return programs
}

// ScrubLine replaces the prompts and answers in a line of a log, and calls replaced with the rule and the length
// of each. With fields, the fields of the line are searched, whatever program wrote it. It returns a line without any
// unchanged.
func (p *Policy) ScrubLine(action Action, programs uint64, text string, fields bool, replaced func(rule *Rule, bytes int)) string {
	program := replaced
	for found := p.markers.in(text) &^ (p.ofPrograms &^ programs); found != 0 && action != Keep; found &= found - 1 {
		l := &p.lines[bits.TrailingZeros64(found)]
		if !strings.Contains(text, l.Has) {
			continue
		}
		if l.Search {
			if !l.pattern.MatchString(text) {
				continue
			}
			fields, program = true, l.counting(p.inText, replaced)
			continue
		}
		at := l.pattern.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		content := text[at[2]:at[3]]
		if now := p.replacer.replace(action, content); now != content {
			text = text[:at[2]] + now + text[at[3]:]
			replaced(l.rule, len(content))
		}
	}
	if fields {
		return p.Search(action, text, program)
	}
	return text
}

// counting returns a function that counts the fields of texts by the rule of the program.
func (l *lineRule) counting(fields *Rule, replaced func(rule *Rule, bytes int)) func(rule *Rule, bytes int) {
	return func(rule *Rule, bytes int) {
		if rule == fields {
			rule = l.rule
		}
		replaced(rule, bytes)
	}
}

// Fields returns the rule for a log record whose fields are content because of the program that wrote it, or nil.
func (p *Policy) Fields(programs uint64) *Rule {
	for ; programs != 0; programs &= programs - 1 {
		if l := &p.lines[bits.TrailingZeros64(programs)]; l.Fields {
			return l.rule
		}
	}
	return nil
}
