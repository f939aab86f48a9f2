// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.yaml.in/yaml/v3"
)

//go:embed sources.yaml
var sourcesFile []byte

// sources are those of sources.yaml.
var sources = func() (all map[string][]source) {
	if err := yaml.Unmarshal(sourcesFile, &all); err != nil {
		panic(err) // the file is a part of this program
	}
	return all
}()

// source is one instrumentation scope of one process.
type source struct {
	Service    string
	Namespace  string
	Scope      string
	Items      []item
	Attributes attributes
}

// item is a metric, a span, or a log record's text.
type item struct {
	Name    string
	Unit    string
	Counter bool
}

// attributes have an order.
type attributes []attribute

type attribute struct {
	key   string
	value any
}

// UnmarshalYAML reads lists of attributes, one after the other.
func (a *attributes) UnmarshalYAML(node *yaml.Node) error {
	for _, list := range node.Content {
		for i := 0; i < len(list.Content); i += 2 {
			var value any
			if err := list.Content[i+1].Decode(&value); err != nil {
				return err
			}
			*a = append(*a, attribute{list.Content[i].Value, value})
		}
	}
	return nil
}

// item returns the item that the nth of a request is, when the request takes
// turns over so many sources.
func (s source) item(n, sources int) item { return s.Items[n/sources%len(s.Items)] }

func (s source) describe(r pcommon.Resource) {
	r.Attributes().PutStr("service.name", s.Service)
	if s.Namespace != "" {
		r.Attributes().PutStr("service.namespace", s.Namespace)
	}
	r.Attributes().PutStr("service.instance.id", s.Service+anInstance)
	r.Attributes().PutStr("host.name", "node-7")
}

// fill puts the first count attributes of the source. Past its own they are labels, as
// clusters add them.
func (s source) fill(m pcommon.Map, count, n int) {
	m.EnsureCapacity(count)
	for i := range count {
		if i >= len(s.Attributes) {
			m.PutStr(fmt.Sprintf("k8s.label.%02d", i), "a value of a label")
			continue
		}
		value := s.Attributes[i].value
		switch value {
		case "$id":
			value = fmt.Sprintf("3f2504e0-4f89-41d3-9a0c-%04x%08x", i, n)
		case "$put":
			value = putKey(n)
		case "$get":
			value = getKey(n)
		}
		// The values in sources.yaml are of types that pdata knows.
		_ = m.PutEmpty(s.Attributes[i].key).FromRaw(value)
	}
}

// idsOf are the ids that the nth log record carries outside of its own fields. All
// of their bytes vary, as they do in ids that are drawn.
func idsOf(n int) (trace pcommon.TraceID, span pcommon.SpanID) {
	drawn := rand.NewPCG(1, uint64(n))
	binary.BigEndian.PutUint64(trace[:8], drawn.Uint64())
	binary.BigEndian.PutUint64(trace[8:], drawn.Uint64())
	binary.BigEndian.PutUint64(span[:], drawn.Uint64())
	return trace, span
}

func traceText(n int) string {
	trace, _ := idsOf(n)
	return trace.String()
}

func spanText(n int) string {
	_, span := idsOf(n)
	return span.String()
}
