// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// rejected begins the message of an exporter without a queue for each request that it could not send.
const rejected = "Exporting failed. Rejecting data."

// renamed begins the message of k8s_attributes about names of attributes that no configuration of ours uses.
const renamed = "[WARNING] Pod annotation extraction attributes are being renamed"

// quietCore logs renamed, and what exporters reject, at debug level. Such an exporter returns the error to its caller, which
// keeps the data or answers its client, and reports it itself: spillover says that data goes to disk. The message
// says that data is lost, which it is not.
type quietCore struct{ zapcore.Core }

func (c quietCore) With(fields []zapcore.Field) zapcore.Core { return quietCore{c.Core.With(fields)} }

func (c quietCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if strings.HasPrefix(entry.Message, rejected) || strings.HasPrefix(entry.Message, renamed) {
		if !c.Enabled(zapcore.DebugLevel) {
			return checked
		}
		entry.Level = zapcore.DebugLevel
	}
	return c.Core.Check(entry, checked)
}

// starting begin the messages of a collector that cannot start or go on, with an error that quotes settings.
var starting = []string{"Failed to start ", "error found during service initialization", "Asynchronous error received", "Config watch failed"}

// startCore hides the values of variables and of included texts in the errors of a start.
type startCore struct {
	zapcore.Core
	hide func(string) string
}

func (c startCore) With(fields []zapcore.Field) zapcore.Core {
	return startCore{c.Core.With(fields), c.hide}
}

func (c startCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if entry.Level == zapcore.ErrorLevel && slices.ContainsFunc(starting, func(s string) bool { return strings.HasPrefix(entry.Message, s) }) {
		return checked.AddCore(entry, c)
	}
	return c.Core.Check(entry, checked)
}

func (c startCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	fields = slices.Clone(fields)
	for i, field := range fields {
		if err, ok := field.Interface.(error); ok {
			fields[i] = zap.String(field.Key, c.hide(err.Error()))
		}
	}
	if checked := c.Core.Check(entry, nil); checked != nil {
		checked.Write(fields...)
	}
	return nil
}
