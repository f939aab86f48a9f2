// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// logged returns the JSON output of what log logs.
func logged(t *testing.T, wrap func(zapcore.Core) zapcore.Core, log func(*zap.Logger)) string {
	t.Helper()
	var out bytes.Buffer
	config := zap.NewProductionEncoderConfig()
	config.TimeKey = ""
	inner := zapcore.NewCore(zapcore.NewJSONEncoder(config), zapcore.AddSync(&out), zapcore.InfoLevel)
	log(zap.New(inner, zap.WrapCore(wrap)))
	return out.String()
}

func TestCore(t *testing.T) {
	target := &url.URL{Scheme: "http", User: url.UserPassword("user", "s3cret"), Host: "host"}
	text := "http://user:s3cret@host"
	all := func(logger *zap.Logger) {
		logger.With(zap.String("with", text), zap.Dict("resource", zap.String("url", text))).Info("to "+text,
			zap.String("string", text),
			zap.Error(fmt.Errorf("send: %w", &url.Error{Op: "Post", URL: text, Err: errors.New("refused")})),
			zap.NamedError("two", errors.Join(errors.New(text), errors.New("a\nb"))),
			zap.Stringer("stringer", target),
			zap.ByteString("bytes", []byte(text)),
			zap.Strings("strings", []string{"a", text}),
			zap.Any("any", map[string]any{"deep": []any{text, 12345678901234567}}),
			zap.Inline(zapcore.ObjectMarshalerFunc(func(e zapcore.ObjectEncoder) error { e.AddString("inlined", text); return nil })),
			zap.Int("int", 1), zap.Any("nil", nil), zap.Error(nil),
		)
		logger.Debug("not at this level " + text)
	}
	plain := logged(t, func(c zapcore.Core) zapcore.Core { return c }, all)
	require.Contains(t, plain, "s3cret")
	got := logged(t, Core, all)
	assert.NotContains(t, got, "s3cret")
	assert.Equal(t, 1, strings.Count(got, "\n"))
	assert.Contains(t, got, `"msg":"to http://REDACTED@host"`)
	assert.Contains(t, got, `"error":"send: Post \"http://REDACTED@host\": refused"`)
	assert.Contains(t, got, `"any":{"deep":["http://REDACTED@host",12345678901234567]}`)
	assert.Contains(t, got, `"int":1`)
}

// A log without URLs is unchanged, byte for byte.
func TestCoreKeepsOtherLogs(t *testing.T) {
	all := func(logger *zap.Logger) {
		logger.With(zap.String("a", "b")).Warn("text", zap.Error(errors.New("http://host/a@b")), zap.Any("any", struct{ X any }{1.5}), zap.Strings("s", []string{"x"}))
	}
	assert.Equal(t, logged(t, func(c zapcore.Core) zapcore.Core { return c }, all), logged(t, Core, all))
}

// The caller's fields stay unchanged.
func TestFieldsAreNotChanged(t *testing.T) {
	fields := []zapcore.Field{zap.String("a", "b"), zap.String("url", "http://a:b@c")}
	redacted := redacted(fields)
	assert.Equal(t, "http://a:b@c", fields[1].String)
	assert.Equal(t, "http://REDACTED@c", redacted[1].String)
}

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	n, err := fmt.Fprintln(Writer(&out), "endpoint: http://a:b@c")
	require.NoError(t, err)
	assert.Equal(t, len("endpoint: http://a:b@c\n"), n)
	assert.Equal(t, "endpoint: http://REDACTED@c\n", out.String())
}

func TestWriterHidesCredentialsInErrors(t *testing.T) {
	var out bytes.Buffer
	fmt.Fprintf(Writer(&out), "Bearer s3cret %q", `set(log.attributes["password"], "s3cret" bad`)
	assert.Equal(t, `Bearer [REDACTED] "set(log.attributes[\"password\"], \"[REDACTED]\" bad"`, out.String())
}

func TestOutput(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		var out bytes.Buffer
		n, err := fmt.Fprint(Output(&out), text)
		assert.NoError(t, err)
		assert.Equal(t, len(text), n)
		assert.Equal(t, want, out.String())
	}
	f("a:\n    password: s3cret\n    size: 10000000\n\n", "a:\n    password: '[REDACTED]'\n    size: 10000000\n\n")
	f("{\n  \"password\": \"s3cret\",\n  \"size\": 12345678901234567\n}\n", "{\n  \"password\": \"[REDACTED]\",\n  \"size\": 12345678901234567\n}\n")
	f("not a configuration: http://a:s3cret@host: x", "not a configuration: http://REDACTED@host: x")
}
