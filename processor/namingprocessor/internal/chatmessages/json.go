// SPDX-License-Identifier: Apache-2.0

package chatmessages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// The objects of the JSON text. Their names are those of the semantic conventions.
type (
	chatMessage struct {
		Role         string `json:"role"`
		Parts        []any  `json:"parts"`
		Name         string `json:"name,omitempty"`
		FinishReason string `json:"finish_reason,omitempty"`
	}
	textPart struct { // text, reasoning
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	toolCallPart struct {
		Type      string `json:"type"`
		ID        string `json:"id,omitempty"`
		Name      string `json:"name"`
		Arguments any    `json:"arguments,omitempty"`
	}
	toolCallResponsePart struct {
		Type     string `json:"type"`
		ID       string `json:"id,omitempty"`
		Response any    `json:"response"`
	}
	blobPart struct {
		Type     string `json:"type"`
		MimeType string `json:"mime_type,omitempty"`
		Modality string `json:"modality"`
		Content  string `json:"content"`
	}
	uriPart struct {
		Type     string `json:"type"`
		MimeType string `json:"mime_type,omitempty"`
		Modality string `json:"modality"`
		URI      string `json:"uri"`
	}
)

// JSON returns the messages in the order of their numbers. It is not ok if the list is above a limit.
func (l *List) JSON() (text string, ok bool) {
	if l.over {
		return "", false
	}
	all := make([]chatMessage, 0, len(l.messages))
	for _, index := range slices.Sorted(maps.Keys(l.messages)) {
		all = append(all, l.messages[index].object())
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all); err != nil {
		return "", false
	}
	return strings.TrimSuffix(b.String(), "\n"), true
}

func (m *message) object() chatMessage {
	o := chatMessage{Role: text(m.role), Parts: []any{}, Name: text(m.name), FinishReason: text(m.finishReason)}
	if m.toolCallID != nil {
		if o.Role == "" || o.Role == "user" {
			o.Role = "tool" // some SDKs send the result of a tool as if the user had written it
		}
		o.Parts = append(o.Parts, toolCallResponsePart{"tool_call_response", *m.toolCallID, m.response()})
	} else if text(m.content) != "" {
		o.Parts = append(o.Parts, textPart{"text", *m.content})
	}
	if m.toolCallID == nil || m.content != nil {
		o.Parts = append(o.Parts, m.contentParts()...)
	}
	for _, index := range slices.Sorted(maps.Keys(m.calls)) {
		o.Parts = append(o.Parts, m.calls[index].toolCall())
	}
	if m.function != (part{}) {
		o.Parts = append(o.Parts, m.function.toolCall())
	}
	return o
}

// response returns the result of a tool: its text, or the contents that it has in place of a text.
func (m *message) response() any {
	if m.content != nil || len(m.contents) == 0 {
		return text(m.content)
	}
	return m.contentParts()
}

func (m *message) contentParts() (all []any) {
	for _, index := range slices.Sorted(maps.Keys(m.contents)) {
		all = append(all, m.contents[index].objects()...)
	}
	return all
}

// objects returns all that a content has. By the convention that is one thing, but nothing that is sent may be
// missing: the attributes can be removed.
func (p *part) objects() (all []any) {
	for i, url := range p.urls {
		if url != nil {
			all = append(all, mediaPart(media[i], *url, text(p.mimeTypes[i])))
		}
	}
	if p.callID != nil || p.function != nil || p.arguments != nil {
		all = append(all, p.toolCall())
	}
	if len(all) > 0 && p.text == nil {
		return all
	}
	kind := "text"
	if text(p.kind) == "reasoning" {
		kind = "reasoning"
	}
	return append([]any{textPart{kind, text(p.text)}}, all...)
}

func (p *part) toolCall() toolCallPart {
	call := toolCallPart{Type: "tool_call", ID: text(p.callID), Name: text(p.function)}
	switch arguments := text(p.arguments); {
	case arguments == "":
	case json.Valid([]byte(arguments)):
		call.Arguments = json.RawMessage(arguments)
	default:
		call.Arguments = arguments
	}
	return call
}

// mediaPart returns an image, audio or video. A data: URL has it in itself.
func mediaPart(modality, url, mimeType string) any {
	if rest, ok := strings.CutPrefix(url, "data:"); ok {
		if stated, data, ok := strings.Cut(rest, ";base64,"); ok {
			return blobPart{"blob", cmp.Or(stated, mimeType), modality, data}
		}
	}
	return uriPart{"uri", mimeType, modality, url}
}

func text(field *string) string {
	if field == nil {
		return ""
	}
	return *field
}
