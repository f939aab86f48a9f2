// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
)

// Examples are telemetry as a system sends it, and what becomes of it by the rules of its pack. A collector
// does not keep them: only Read returns them.
type Examples struct {
	Metrics    []MetricExample    `yaml:"metrics"`
	Spans      []SpanExample      `yaml:"spans"`
	Attributes []AttributeExample `yaml:"attributes"`
	Messages   []MessagesExample  `yaml:"messages"`
	Logs       []LogExample       `yaml:"logs"`
	Strangers  []Stranger         `yaml:"strangers"`
}

// Stranger is telemetry of a service that the pack does not own, although it resembles that of the system. The pack
// changes nothing of it. It is one of Span, Metric, Page and Line.
type Stranger struct {
	// Span is the name of a span.
	Span string `yaml:"span"`
	// Metric is the name of a metric.
	Metric string `yaml:"metric"`
	// Page are the names of the metrics of a scraped page.
	Page []string `yaml:"page"`
	// Line is a line of a text log.
	Line string `yaml:"line"`
	// Origin is where it comes from. Without a resource it comes from a service of another name.
	Origin `yaml:",inline"`
	// Attributes are attributes of the span, or of the metrics' data points.
	Attributes map[string]any `yaml:"attributes"`
}

// MetricExample is an example of a metric. What it does not state is not compared.
type MetricExample struct {
	// In is the original name.
	In    string      `yaml:"in"`
	Given MetricGiven `yaml:"given"`
	// Out is the name that comes out.
	Out string `yaml:"out"`
	// Unit is the unit that comes out.
	Unit string `yaml:"unit"`
	// Value is the value that comes out.
	Value *float64 `yaml:"value"`
	// Type is what comes out.
	Type ExampleType `yaml:"type"`
	// Attributes are attributes of the data point that comes out.
	Attributes map[string]any `yaml:"attributes"`
	// Also are names of copies that come out too.
	Also []string `yaml:"also"`
	// Aggregate is how gauges of this name are merged.
	Aggregate GaugeAggregate `yaml:"aggregate"`
}

// MetricGiven is what the system sends apart from a metric's name.
type MetricGiven struct {
	Origin     `yaml:",inline"`
	Unit       string         `yaml:"unit"`
	Value      float64        `yaml:"value"`
	Type       ExampleType    `yaml:"type"`
	Attributes map[string]any `yaml:"attributes"`
}

// ExampleType is the type of an example's metric.
type ExampleType string

// The types of an example's metric. Gauge is the default of what the system sends.
const (
	ExampleGauge   ExampleType = "gauge"
	ExampleCounter ExampleType = "counter"
)

// Origin is where the telemetry of an example comes from. By default it is a resource, or else a scope, that
// the pack owns.
type Origin struct {
	Resource map[string]string `yaml:"resource"`
	Scope    string            `yaml:"scope"`
}

// SpanExample is an example of a span.
type SpanExample struct {
	// In is the original name.
	In    string    `yaml:"in"`
	Given SpanGiven `yaml:"given"`
	// Out is the name that comes out.
	Out string `yaml:"out"`
	// Attributes are attributes of the span that comes out.
	Attributes map[string]any `yaml:"attributes"`
}

// SpanGiven is what the system sends apart from a span's name.
type SpanGiven struct {
	Origin     `yaml:",inline"`
	Attributes map[string]any `yaml:"attributes"`
}

// AttributeExample is an example of an attribute.
type AttributeExample struct {
	// In is the original key.
	In    string         `yaml:"in"`
	Given AttributeGiven `yaml:"given"`
	// Out is the key that comes out. It is empty if the attribute is removed.
	Out string `yaml:"out"`
	// Value is the value that comes out.
	Value any `yaml:"value"`
	// ID means that data points lose the attribute.
	ID bool `yaml:"id"`
	// Also are the copies that come out, with their values, if the content policy keeps content.
	Also map[string]any `yaml:"also"`
}

// AttributeGiven is what the system sends apart from an attribute's key.
type AttributeGiven struct {
	Value any `yaml:"value"`
	// Attributes are further attributes of the span.
	Attributes map[string]any `yaml:"attributes"`
}

// MessagesExample is an example of a list of messages.
type MessagesExample struct {
	// In is the beginning of the keys.
	In    string        `yaml:"in"`
	Given MessagesGiven `yaml:"given"`
	// Out is the key of the list that comes out.
	Out string `yaml:"out"`
	// Value is the JSON text that comes out, if the content policy keeps content.
	Value string `yaml:"value"`
}

// MessagesGiven is what the system sends for a list of messages.
type MessagesGiven struct {
	Attributes map[string]any `yaml:"attributes"`
}

// LogExample is an example of a record of a text log.
type LogExample struct {
	// Line is the record. It has several lines if the format joins lines.
	Line string `yaml:"line"`
	// Format is the format that it has.
	Format string `yaml:"format"`
	// Time is the time of the record in RFC 3339. A part that the record lacks is completed from it.
	Time string `yaml:"time"`
	// Severity is the severity, such as INFO.
	Severity string `yaml:"severity"`
	// Body is the message.
	Body string `yaml:"body"`
	// Attributes are attributes of the record. The ids of its trace are among them.
	Attributes map[string]any `yaml:"attributes"`
	// Resource are attributes of the record's resource.
	Resource map[string]any `yaml:"resource"`
}

// Source is a pack with its text, for commands that show where the rules are and that run its examples.
type Source struct {
	// File is the name of the pack's file. A built-in pack is in the folder builtin.
	File     string
	Pack     *Pack
	Examples Examples

	root *yaml.Node
}

// builtinFolder is where Read finds the built-in packs.
const builtinFolder = "builtin/"

// Read reads the pack of a setting, as Load does, together with its examples.
func Read(setting any) (*Source, error) {
	pack, err := load(Disk, setting)
	if err != nil {
		return nil, err
	}
	s := &Source{File: pack.System, Pack: pack}
	name, ok := setting.(string)
	if !ok {
		return s, nil // a registry has no rules of its own
	}
	var text []byte
	if isPath(name) {
		s.File = name
		text, err = Files(Disk).Text(name)
	} else {
		s.File = builtinFolder + name + ".yaml"
		text, err = builtin.ReadFile(name + ".yaml")
	}
	if err != nil {
		return nil, err
	}
	if s.root, err = document.Read("a pack", text); err != nil {
		return nil, document.InFile(name, err)
	}
	var read struct {
		Examples Examples `yaml:"examples"`
	}
	if err := s.root.Decode(&read); err != nil {
		return nil, document.InFile(name, err)
	}
	s.Examples = read.Examples
	return s, nil
}

// isPath reports whether a setting is the path of a file.
func isPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".yaml")
}

// Line returns the line of a key, such as "metrics", "rules", "3". It returns 0 if the pack has no text.
func (s *Source) Line(key ...string) int {
	if s.root == nil {
		return 0
	}
	return document.Find(s.root, key...).Line
}
