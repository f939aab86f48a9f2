// SPDX-License-Identifier: Apache-2.0

package example

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// spanName is the name of the span that has an example's attributes. It is conformant.
const spanName = "Example/Attribute"

// spanOf sends a span with attributes, and returns those that come out.
func (r *runner) spanOf(ctx context.Context, through pipe, attributes map[string]any) (pcommon.Map, error) {
	td, in := spanFrom(r.pack, conventions.Origin{})
	in.SetName(spanName)
	if err := r.put(attributes, in.Attributes()); err != nil {
		return in.Attributes(), err
	}
	out, err := through.spanThrough(ctx, td)
	return out.Attributes(), err
}

func (r *runner) attribute(ctx context.Context, e *conventions.AttributeExample) error {
	r.in = e.In
	value := e.Given.Value
	if value == nil {
		value = "x"
	}
	given := maps.Clone(e.Given.Attributes)
	if given == nil {
		given = map[string]any{}
	}
	given[e.In] = value
	out, err := r.spanOf(ctx, r.pipe, given)
	if err != nil {
		return err
	}
	r.show(r.namer.AttributeSources(r.system, e.In))
	key, got := r.sent(out, e)
	if key != "" && e.Value != nil {
		if err := r.value("value", e.Value, got); err != nil {
			return err
		}
	}
	r.same("out", e.Out, key)
	by, _, _ := r.namer.ID(r.system, e.In)
	if id := by != nil; id != e.ID {
		r.fail("id", strconv.FormatBool(e.ID), strconv.FormatBool(id))
	}
	return r.copies(ctx, e, given)
}

// copies compares the copies that the example states. Most of them are of content, so it is kept.
func (r *runner) copies(ctx context.Context, e *conventions.AttributeExample, given map[string]any) error {
	if len(e.Also) == 0 {
		return nil
	}
	out, err := r.spanOf(ctx, r.keeping, given)
	if err != nil {
		return err
	}
	plan := r.namer.AttributeCopies(r.system)
	for _, source := range plan.Sources(e.In) {
		rule := &plan.Copies[source.Copy]
		if _, ok := e.Also[rule.Key]; ok && strings.Contains(fmt.Sprint(given[e.In]), rule.Field) {
			r.show([]naming.Source{rule.Source})
		}
	}
	return r.attributesOf("also", e.Also, out)
}

// sent returns what became of an example's attribute: the attribute with the original key if there is still one,
// else that with the key that the example wants, else any other one that is no copy. The key is empty if it was
// removed.
func (r *runner) sent(attrs pcommon.Map, e *conventions.AttributeExample) (key string, value pcommon.Value) {
	for _, key := range []string{e.In, e.Out} {
		if value, ok := attrs.Get(key); ok {
			return key, value
		}
	}
	for key, value := range attrs.All() {
		if _, given := e.Given.Attributes[key]; !given && !strings.HasPrefix(key, contentLength) && !r.isCopy(key) {
			return key, value
		}
	}
	return "", value
}

func (r *runner) isCopy(key string) bool {
	plan := r.namer.AttributeCopies(r.system)
	return plan != nil && slices.ContainsFunc(plan.Copies, func(c naming.AttributeCopy) bool { return c.Key == key })
}

// contentLength begins the attributes with the lengths of protected content.
const contentLength = "tc.content.length."

// messages compares a list of messages. No list comes out if content is redacted.
func (r *runner) messages(ctx context.Context, e *conventions.MessagesExample) error {
	r.in = e.In
	redacted, err := r.spanOf(ctx, r.pipe, e.Given.Attributes)
	if err != nil {
		return err
	}
	if value, ok := redacted.Get(e.Out); ok {
		r.fail("redacted", "none", written(value.AsRaw()))
	}
	for i, rule := range r.pack.Messages {
		if rule.From == e.In {
			r.show([]naming.Source{{System: r.system, Key: []any{"messages", i}}})
		}
	}
	out, err := r.spanOf(ctx, r.keeping, e.Given.Attributes)
	if err != nil {
		return err
	}
	return r.attributesOf("value", map[string]any{e.Out: e.Value}, out)
}
