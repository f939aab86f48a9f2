// SPDX-License-Identifier: Apache-2.0

package example

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

func (r *runner) log(e *conventions.LogExample) error {
	r.in = e.Line
	var entry logformat.Entry
	format := r.formats.Match(e.Line, nil, &entry)
	if format == nil {
		r.fail("format", strconv.Quote(e.Format), "none")
		return nil
	}
	for i, f := range r.pack.Logs.Formats {
		if f.Name == format.Name {
			r.shown[joined([]string{"logs", "formats", strconv.Itoa(i)})] = true
		}
	}
	// Two layouts that differ by a space at their end are one prefix: the space may be missing.
	for _, prefix := range entry.Prefixes {
		for i, text := range r.pack.Logs.Prefixes {
			if strings.TrimSuffix(text, " ") == strings.TrimSuffix(prefix.Layout, " ") {
				r.shown[joined([]string{"logs", "prefixes", strconv.Itoa(i)})] = true
			}
		}
	}
	r.same("format", e.Format, format.Name)
	r.stated("severity", strings.ToUpper(e.Severity), strings.ToUpper(entry.Severity.String()))
	r.stated("body", e.Body, entry.Body)
	if e.Time != "" {
		want, err := time.Parse(time.RFC3339Nano, e.Time)
		if err != nil {
			return fmt.Errorf("%s:%d: time: %w", r.source.File, r.line, err)
		}
		got := entry.Time.Resolve(time.UTC, want, time.Time{})
		if !got.Equal(want) {
			r.fail("time", want.Format(time.RFC3339Nano), got.Format(time.RFC3339Nano))
		}
	}
	got := pcommon.NewMap()
	for _, attribute := range entry.Attributes {
		attribute.Put(got)
	}
	for _, id := range entry.IDs {
		got.PutStr(id.Key, id.Value)
	}
	if err := r.attributesOf("attributes", e.Attributes, got); err != nil {
		return err
	}
	resource := pcommon.NewMap()
	for _, field := range slices.Concat(format.Resource, entry.Resource) {
		resource.PutStr(field.Key, field.Value)
	}
	return r.attributesOf("resource", e.Resource, resource)
}

// textOf returns a function that looks up a text attribute.
func textOf(attrs pcommon.Map) func(string) (string, bool) {
	return func(key string) (string, bool) { return attributes.Lookup(attrs, key) }
}
