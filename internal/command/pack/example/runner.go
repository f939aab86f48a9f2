// SPDX-License-Identifier: Apache-2.0

// Package example runs the examples of convention packs: it sends what they say through the naming processor
// and the log formats, and compares what comes out.
package example

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// Failure is a difference between an example and what came out.
type Failure struct {
	// Line is the line of the example.
	Line int
	// In is what goes in.
	In string
	// What is the part that differs, such as unit.
	What      string
	Want, Got string
}

// String returns the failure as a sentence.
func (f Failure) String() string {
	return fmt.Sprintf("%q: %s: want %s, got %s", f.In, f.What, f.Want, f.Got)
}

// Result is what the examples of a pack showed.
type Result struct {
	// Examples is the number of examples, and Failed that of those with a failure.
	Examples, Failed int
	Failures         []Failure
	// Rules is the number of the pack's rules that examples can show, and Without are the keys of those that no example
	// shows.
	Rules   int
	Without [][]string
}

// Run runs the examples of a pack. Naming makes naming processors.
func Run(ctx context.Context, naming processor.Factory, source *conventions.Source) (*Result, error) {
	packs := []*conventions.Pack{source.Pack}
	p := policy.Of(*policy.NewDefaultConfig(), packs)
	formats, err := logformat.New(packs)
	if err != nil {
		return nil, err
	}
	keeping := policy.NewDefaultConfig()
	keeping.Content.Default = content.Keep
	r := &runner{
		pipe: pipe{naming, p}, keeping: pipe{naming, policy.Of(*keeping, packs)}, pack: source.Pack, namer: p.Namer(), system: p.Namer().Systems()[0], formats: formats,
		source: source, shown: map[string]bool{}, result: &Result{},
	}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	for _, key := range ruleKeys(source.Pack) {
		r.result.Rules++
		if !r.shown[joined(key)] {
			r.result.Without = append(r.result.Without, key)
		}
	}
	return r.result, nil
}

type runner struct {
	pipe
	keeping pipe // with a content policy that keeps content
	pack    *conventions.Pack
	namer   *naming.Namer
	system  *naming.System // the pack's
	formats *logformat.Formats
	source  *conventions.Source
	shown   map[string]bool // keys of rules, joined
	result  *Result

	// Of the current example.
	line   int
	in     string
	failed bool
}

func (r *runner) run(ctx context.Context) error {
	all := &r.source.Examples
	return errors.Join(
		each(r, "metrics", all.Metrics, func(e *conventions.MetricExample) error { return r.metric(ctx, e) }),
		each(r, "spans", all.Spans, func(e *conventions.SpanExample) error { return r.span(ctx, e) }),
		each(r, "attributes", all.Attributes, func(e *conventions.AttributeExample) error { return r.attribute(ctx, e) }),
		each(r, "messages", all.Messages, func(e *conventions.MessagesExample) error { return r.messages(ctx, e) }),
		each(r, "logs", all.Logs, r.log),
		each(r, "strangers", all.Strangers, func(e *conventions.Stranger) error { return r.stranger(ctx, e) }),
	)
}

func each[E any](r *runner, kind string, examples []E, run func(*E) error) error {
	for i := range examples {
		r.line, r.failed = r.source.Line("examples", kind, strconv.Itoa(i)), false
		r.result.Examples++
		if err := run(&examples[i]); err != nil {
			return err
		}
	}
	return nil
}

// same compares a text.
func (r *runner) same(what, want, got string) {
	if want != got {
		r.fail(what, strconv.Quote(want), strconv.Quote(got))
	}
}

// stated compares a text if the example states it.
func (r *runner) stated(what, want, got string) {
	if want != "" {
		r.same(what, want, got)
	}
}

func (r *runner) fail(what, want, got string) {
	if !r.failed {
		r.failed = true
		r.result.Failed++
	}
	r.result.Failures = append(r.result.Failures, Failure{Line: r.line, In: r.in, What: what, Want: want, Got: got})
}

// attributesOf compares the attributes that the example states.
func (r *runner) attributesOf(what string, want map[string]any, got pcommon.Map) error {
	for _, key := range sortedKeys(want) {
		value, ok := got.Get(key)
		if !ok {
			r.fail(what+"."+key, written(want[key]), "none")
			continue
		}
		if err := r.value(what+"."+key, want[key], value); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) value(what string, want any, got pcommon.Value) error {
	value := pcommon.NewValueEmpty()
	if err := value.FromRaw(want); err != nil {
		return fmt.Errorf("%s:%d: %s: %w", r.source.File, r.line, what, err)
	}
	if !value.Equal(got) {
		r.fail(what, written(want), written(got.AsRaw()))
	}
	return nil
}

// written returns a value as a person writes it: texts have quotes.
func written(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(value)
}

// put fills a map with the attributes that an example gives.
func (r *runner) put(values map[string]any, to pcommon.Map) error {
	for _, key := range sortedKeys(values) {
		if err := to.PutEmpty(key).FromRaw(values[key]); err != nil {
			return fmt.Errorf("%s:%d: given.attributes.%s: %w", r.source.File, r.line, key, err)
		}
	}
	return nil
}
