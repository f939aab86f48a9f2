// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed systems/*.yaml
var files embed.FS

// description is the first document of a system's file: what its processes have from their start.
type description struct {
	// TraceIDBytes is how many low bytes of a new trace id are random, where they are not all.
	TraceIDBytes int                         `yaml:"trace_id_bytes"`
	Meters       map[string]meterDescription `yaml:"meters"`
	// Sets are lists of label values that families name.
	Sets map[string]values `yaml:"sets"`
	Page *pageDescription  `yaml:"page"`
}

// script is the second document, as the template in it renders it for one scenario: all that is sent and written.
type script struct {
	// Processes are the resource attributes of each process, by a name for it.
	Processes map[string]map[string]any `yaml:"processes"`
	// Instances are label values of the series that this scenario moves, beside those that all scenarios move.
	Instances []map[string]string `yaml:"instances"`
	Items     []item              `yaml:"items"`
}

// item is one thing that is sent or written, or a pair that is true of them.
type item struct {
	Span   *scriptSpan   `yaml:"span"`
	Log    *scriptLog    `yaml:"log"`
	Line   *scriptLine   `yaml:"line"`
	Record *scriptRecord `yaml:"record"`
	Pair   *scriptPair   `yaml:"pair"`
}

// scriptSpan is a span, whose parent is Under.
type scriptSpan struct {
	ID    reference `yaml:"id"`
	Under reference `yaml:"under"`
	Name  string    `yaml:"name"`
	// Tracer is the name of a process and the scope, separated by a space.
	Tracer string `yaml:"tracer"`
	Kind   string `yaml:"kind"`
	// Ms are start and end, in milliseconds into the scenario.
	Ms         [2]int         `yaml:"ms"`
	Attributes map[string]any `yaml:"attributes"`
	Events     []scriptEvent  `yaml:"events"`
	Links      []reference    `yaml:"links"`
	Error      string         `yaml:"error"`
	// Start replaces the start, in nanoseconds since 1970.
	Start uint64 `yaml:"start"`
}

type scriptEvent struct {
	Name       string         `yaml:"name"`
	Ms         int            `yaml:"ms"`
	Attributes map[string]any `yaml:"attributes"`
}

// scriptLog is a record over OTLP, written in the span In.
type scriptLog struct {
	In reference `yaml:"in"`
	Ms int       `yaml:"ms"`
	// Logger is the name of a process and the scope, separated by a space.
	Logger     string         `yaml:"logger"`
	Severity   string         `yaml:"severity"`
	Text       string         `yaml:"text"`
	Attributes map[string]any `yaml:"attributes"`
}

// scriptLine is an entry of a text log, written in the span In.
type scriptLine struct {
	File   string    `yaml:"file"`
	Ms     int       `yaml:"ms"`
	In     reference `yaml:"in"`
	States States    `yaml:"states"`
	Text   string    `yaml:"text"`
}

// scriptRecord is a measurement by an instrument.
type scriptRecord struct {
	Meter      string         `yaml:"meter"`
	Name       string         `yaml:"name"`
	Value      float64        `yaml:"value"`
	Attributes map[string]any `yaml:"attributes"`
}

// scriptPair says that stages, in order of time, follow each other.
type scriptPair struct {
	Rule   string      `yaml:"rule"`
	Stages []reference `yaml:"stages"`
}

// load reads the file of a system. Both documents are templates; the second is rendered for each scenario.
func (p *player) load() (description, error) {
	var d description
	name := p.name + ".yaml"
	text, err := files.ReadFile("systems/" + name)
	if err != nil {
		return d, err
	}
	head, body, _ := strings.Cut(string(text), "\n---\n")
	first, err := template.New(name).Funcs(p.functions()).Parse(head)
	if err != nil {
		return d, err
	}
	if err := render(first, &d); err != nil {
		return d, err
	}
	p.script, err = template.New(name).Funcs(p.functions()).Parse(body)
	return d, err
}

// render executes a template and reads the YAML it gives.
func render(t *template.Template, into any) error {
	var text bytes.Buffer
	if err := t.Execute(&text, nil); err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text.Bytes()))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w in\n%s", t.Name(), err, text.String())
	}
	return nil
}

// functions are what the templates of systems can call; systems/README.md explains them.
func (p *player) functions() template.FuncMap {
	return template.FuncMap{
		"list":   func(values ...any) []any { return values },
		"split":  strings.Fields,
		"names":  nameValues,
		"add":    func(a, b int) int { return a + b },
		"mul":    func(a, b int) int { return a * b },
		"div":    func(a, b int) int { return a / b },
		"mod":    func(a, b int) int { return a % b },
		"join":   strings.Join,
		"append": func(list []string, value string) []string { return append(slices.Clone(list), value) },
		"replace": func(old, with, text string) string {
			return strings.ReplaceAll(text, old, with)
		},
		"quote": quote,

		"numbered": func(format string, count int) string { return quote(numbered(format, count)) },
		"hexOf":    hexOf,
		"uuidOf":   uuidOf,
		"linear":   linearBounds, "exponential": exponentialBounds,

		"content": func() string { return Content },
		"python":  inPython,
		"tokens":  func() string { return contentTokens },

		"number":   func() int { return p.number },
		"every":    func(n, offset int) bool { return p.number%n == offset },
		"once":     p.once,
		"remember": p.remember,
		"recall":   func(name string) any { return p.memory[name] },

		"uuid":    func() string { return randomUUID(p.rng) },
		"hex":     func(digits int) string { return randomHex(p.rng, digits) },
		"int":     func(low, high int) int { return low + int(p.rng.Int64N(int64(high-low))) },
		"between": func(low, high float64) float64 { return between(p.rng, low, high) },

		"span": p.newSpan,
		"none": func() reference { return "" },

		"at":     p.at,
		"states": func(in reference) States { return statesIDs(in.ref()) },
	}
}

// nameValues gives names, separated by spaces, to the values of a list: a template has one argument.
func nameValues(names string, values []any) (map[string]any, error) {
	fields := strings.Fields(names)
	if len(fields) != len(values) {
		return nil, fmt.Errorf("%d values for %q", len(values), names)
	}
	named := map[string]any{}
	for i, name := range fields {
		named[name] = values[i]
	}
	return named, nil
}

// quote writes a value as JSON, which YAML can read.
func quote(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // templates have strings and numbers
	}
	return strings.TrimSpace(text.String())
}

// newSpan returns the ids of a span under a parent. Without one it is the root of a new trace.
func (p *player) newSpan(parent ...reference) reference {
	if len(parent) == 0 || parent[0] == "" {
		return newReference(p.traceID(), p.spanID())
	}
	return newReference(parent[0].ref().TraceID, p.spanID())
}

// once returns the value that the first scenario gave a name.
func (p *player) once(name string, value any) any {
	if _, known := p.memory[name]; !known {
		p.memory[name] = value
	}
	return p.memory[name]
}

// remember gives a name a value for the next scenarios, and returns the value.
func (p *player) remember(name string, value any) any {
	p.memory[name] = value
	return value
}
