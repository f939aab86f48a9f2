// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// core redacts the URLs of log entries before it passes them to the wrapped core.
type core struct{ zapcore.Core }

// Core returns a core that redacts the URLs in messages, stack traces and fields. Use it with
// zap.WrapCore.
func Core(wrapped zapcore.Core) zapcore.Core { return core{wrapped} }

// With implements zapcore.Core.
func (c core) With(fields []zapcore.Field) zapcore.Core {
	return core{c.Core.With(redacted(fields))}
}

// Check implements zapcore.Core.
func (c core) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Core.Check(entry, nil) == nil {
		return checked
	}
	return checked.AddCore(entry, c)
}

// Write implements zapcore.Core.
func (c core) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	entry.Message, entry.Stack = Text(entry.Message), Text(entry.Stack)
	return c.Core.Write(entry, redacted(fields))
}

// redacted returns fields without the secrets of URLs. It does not change the given fields,
// which belong to the caller.
func redacted(fields []zapcore.Field) []zapcore.Field {
	copied := false
	for i := range fields {
		field, changed := redactField(fields[i])
		if !changed {
			continue
		}
		if !copied {
			fields, copied = append([]zapcore.Field(nil), fields...), true
		}
		fields[i] = field
	}
	return fields
}

// redactField returns a field without the secrets of URLs, and reports whether it had any.
func redactField(field zapcore.Field) (zapcore.Field, bool) {
	switch field.Type {
	case zapcore.StringType:
		text := Text(field.String)
		return zap.String(field.Key, text), text != field.String
	case zapcore.ErrorType, zapcore.StringerType, zapcore.ByteStringType, zapcore.ReflectType,
		zapcore.ArrayMarshalerType, zapcore.ObjectMarshalerType, zapcore.InlineMarshalerType:
		return redactEncoded(field)
	default:
		return field, false
	}
}

// redactEncoded redacts a field in its JSON encoding. It drops the field errorVerbose that an
// encoded error may have.
func redactEncoded(field zapcore.Field) (zapcore.Field, bool) {
	encoder := zapcore.NewMapObjectEncoder()
	field.AddTo(encoder)
	encoded, err := json.Marshal(encoder.Fields)
	if err != nil || !bytes.Contains(encoded, []byte(scheme)) && !bytes.ContainsAny(encoded, `?\`) {
		return field, false // a field without an encoding is not logged
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return field, false
	}
	if _, changed := redactValue(fields); !changed {
		return field, false
	}
	if value, ok := fields[field.Key]; ok {
		return zap.Any(field.Key, value), true
	}
	return zap.Any(field.Key, fields), true // an inlined object
}

// redactValue redacts the strings of a JSON value, and reports whether any changed.
func redactValue(value any) (redacted any, changed bool) {
	switch value := value.(type) {
	case string:
		text := Text(value)
		return text, text != value
	case []any:
		for i, element := range value {
			one, differs := redactValue(element)
			value[i], changed = one, changed || differs
		}
	case map[string]any:
		for key, element := range value {
			one, differs := redactValue(element)
			value[key], changed = one, changed || differs
		}
	}
	return value, changed
}
