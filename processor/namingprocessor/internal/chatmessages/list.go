// SPDX-License-Identifier: Apache-2.0

// Package chatmessages makes one list of the messages of a conversation whose fields are attributes of their own.
// The list is the JSON text of the semantic conventions' gen_ai.input.messages and gen_ai.output.messages:
// https://github.com/open-telemetry/semantic-conventions/tree/main/docs/gen-ai.
package chatmessages

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// The limits of a list. A sender decides about the numbers in keys.
const (
	// MaxMessages is the number of messages of one list.
	MaxMessages = 256
	// MaxParts is the number of contents of one message, and that of its tool calls.
	MaxParts = 64
	// MaxBytes is the size of all texts of one list.
	MaxBytes = 256 << 10
)

// List is a list of messages. The zero List is empty.
type List struct {
	messages map[int]*message
	bytes    int
	over     bool // one of the limits
}

// message has the fields of one message. A field that is nil was not set.
type message struct {
	role, name, content, toolCallID, finishReason *string

	contents, calls map[int]*part
	function        part // the only tool call, in an older form
}

// part is a content or a tool call.
type part struct {
	kind, text                  *string
	urls, mimeTypes             [len(media)]*string // of an image, audio or video
	callID, function, arguments *string             // of a tool call
}

// Empty reports whether the list has no messages.
func (l *List) Empty() bool { return len(l.messages) == 0 }

// Add sets the field of a message: the key is what follows the beginning that all fields have in common. It reports
// whether the form has such a field. Of two values of a field the first one counts.
func (l *List) Add(form conventions.MessageForm, key string, value pcommon.Value) (known bool) {
	index, field, ok := numbered(key)
	if !ok {
		return false
	}
	if form == conventions.FormOpenInference {
		if field, ok = strings.CutPrefix(field, "message."); !ok {
			return false
		}
	}
	// The field is looked up in a message that is not in the list, so that unknown fields make no messages.
	if find(form, new(message), field, new(bool)) == nil {
		return false
	}
	m := l.messages[index]
	if m == nil {
		if len(l.messages) == MaxMessages {
			l.over = true
			return true
		}
		if l.messages == nil {
			l.messages = map[int]*message{}
		}
		m = new(message)
		l.messages[index] = m
	}
	if to := find(form, m, field, &l.over); to != nil && *to == nil {
		text := value.AsString()
		if l.bytes += len(text); l.bytes > MaxBytes {
			l.over = true
			return true
		}
		*to = &text
	}
	return true
}

// find returns where a field of a message is, or nil if the form does not have it. Over is set for one part too many.
func find(form conventions.MessageForm, m *message, field string, over *bool) **string {
	switch field {
	case "role":
		return &m.role
	case "name":
		return &m.name
	case "content":
		return &m.content
	case "tool_call_id":
		return &m.toolCallID
	case "finish_reason":
		return &m.finishReason
	}
	if form == conventions.FormOpenInference {
		return findOpenInference(m, field, over)
	}
	return findOpenLLMetry(m, field, over)
}

func findOpenInference(m *message, field string, over *bool) **string {
	switch field {
	case "function_call_name":
		return &m.function.function
	case "function_call_arguments_json":
		return &m.function.arguments
	}
	if rest, ok := strings.CutPrefix(field, "tool_calls."); ok {
		return findPart(&m.calls, rest, over, func(p *part, field string) **string {
			if field, ok := strings.CutPrefix(field, "tool_call."); ok {
				return p.call(field, "function.name", "function.arguments")
			}
			return nil
		})
	}
	if rest, ok := strings.CutPrefix(field, "contents."); ok {
		return findPart(&m.contents, rest, over, (*part).openInference)
	}
	return nil
}

// openInference returns where a field of a content is, or nil.
func (p *part) openInference(field string) **string {
	// A tool call between other contents.
	if field, ok := strings.CutPrefix(field, "tool_call."); ok {
		return p.call(field, "function.name", "function.arguments")
	}
	field, ok := strings.CutPrefix(field, "message_content.")
	if !ok {
		return nil
	}
	switch field {
	case "type":
		return &p.kind
	case "text":
		return &p.text
	}
	for i, medium := range media {
		switch field {
		case medium + "." + medium + ".url":
			return &p.urls[i]
		case medium + "." + medium + ".mime_type":
			return &p.mimeTypes[i]
		}
	}
	return nil
}

// media are the modalities of the semantic conventions, which OpenInference has under the same names.
var media = [...]string{"image", "audio", "video"}

func findOpenLLMetry(m *message, field string, over *bool) **string {
	if field, ok := strings.CutPrefix(field, "function_call."); ok { // LiteLLM
		return m.function.call(field, "name", "arguments")
	}
	if rest, ok := strings.CutPrefix(field, "tool_calls."); ok {
		return findPart(&m.calls, rest, over, func(p *part, field string) **string {
			// LiteLLM has a function in between.
			return p.call(strings.TrimPrefix(field, "function."), "name", "arguments")
		})
	}
	return nil
}

// call returns where a field of a tool call is, or nil.
func (p *part) call(field, name, arguments string) **string {
	switch field {
	case "id":
		return &p.callID
	case name:
		return &p.function
	case arguments:
		return &p.arguments
	}
	return nil
}

// findPart returns where a field of a numbered part is, or nil.
func findPart(parts *map[int]*part, key string, over *bool, fieldOf func(p *part, field string) **string) **string {
	index, field, ok := numbered(key)
	if !ok || fieldOf(new(part), field) == nil {
		return nil
	}
	p := (*parts)[index]
	if p == nil {
		if len(*parts) == MaxParts {
			*over = true
			return new(*string)
		}
		if *parts == nil {
			*parts = map[int]*part{}
		}
		p = new(part)
		(*parts)[index] = p
	}
	return fieldOf(p, field)
}

// maxDigits limits the numbers in keys, which need not begin at 0 and can have gaps.
const maxDigits = 9

// numbered splits N.field. A number has one form only, so that no two keys are one field.
func numbered(key string) (index int, field string, ok bool) {
	number, field, ok := strings.Cut(key, ".")
	if !ok || len(number) > maxDigits || len(number) > 1 && number[0] == '0' {
		return 0, "", false
	}
	n, err := strconv.ParseUint(number, 10, 32)
	return int(n), field, err == nil
}
