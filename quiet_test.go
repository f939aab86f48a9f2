// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestRejectedRequestsAreDebugMessages(t *testing.T) {
	f := func(level zapcore.Level, message string, want ...zapcore.Level) {
		t.Helper()
		core, logs := observer.New(level)
		zap.New(quietCore{core}).With(zap.String("otelcol.component.id", "otlp_http")).Error(message)
		var got []zapcore.Level
		for _, entry := range logs.All() {
			got = append(got, entry.Level)
		}
		assert.Equal(t, want, got, message)
	}
	f(zapcore.InfoLevel, rejected+" Try enabling sending_queue to survive temporary failures.")
	f(zapcore.DebugLevel, rejected, zapcore.DebugLevel)
	f(zapcore.InfoLevel, "Exporting failed. Dropping data.", zapcore.ErrorLevel)
}
