// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"go.uber.org/zap/zapcore"
)

// rejected begins the message of an exporter without a queue for each request that it could not send.
const rejected = "Exporting failed. Rejecting data."

// quietCore logs what exporters reject at debug level. Such an exporter returns the error to its caller, which
// keeps the data or answers its client, and reports it itself: spillover says that data goes to disk. The message
// says that data is lost, which it is not.
type quietCore struct{ zapcore.Core }

func (c quietCore) With(fields []zapcore.Field) zapcore.Core { return quietCore{c.Core.With(fields)} }

func (c quietCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if strings.HasPrefix(entry.Message, rejected) {
		if !c.Enabled(zapcore.DebugLevel) {
			return checked
		}
		entry.Level = zapcore.DebugLevel
	}
	return c.Core.Check(entry, checked)
}
