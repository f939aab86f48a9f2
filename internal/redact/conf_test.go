// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/confmap"
)

func TestConf(t *testing.T) {
	conf := confmap.NewFromStringMap(map[string]any{
		"endpoint": "http://me:s3cret@host",
		"auth":     map[string]any{"sasl": map[string]any{"username": "me", "password": "s3cret"}},
		"users":    []any{map[string]any{"token": "s3cret", "name": "a"}},
		"token":    "",
		"tokens":   []any{"s3cret"},
		"htpasswd": map[string]any{"inline": "me:s3cret", "file": "/f"},
		"headers":  []any{map[string]any{"key": "a", "action": "insert", "value": "s3cret", "from_context": "b"}},
		"client":   map[string]any{"headers": map[string]any{"a": "s3cret"}},
		"secret":   map[string]any{"name": "a"},
	})
	assert.Equal(t, map[string]any{
		"endpoint": "http://REDACTED@host",
		"auth":     map[string]any{"sasl": map[string]any{"username": "me", "password": "[REDACTED]"}},
		"users":    []any{map[string]any{"token": "[REDACTED]", "name": "a"}},
		"token":    "",
		"tokens":   []any{"[REDACTED]"},
		"htpasswd": map[string]any{"inline": "[REDACTED]", "file": "/f"},
		"headers":  []any{map[string]any{"key": "a", "action": "insert", "value": "[REDACTED]", "from_context": "b"}},
		"client":   map[string]any{"headers": map[string]any{"a": "[REDACTED]"}},
		"secret":   map[string]any{"name": "a"},
	}, Conf(conf).ToStringMap())
	assert.Equal(t, "http://me:s3cret@host", conf.Get("endpoint"), "the given one is not changed")
	assert.Equal(t, "s3cret", conf.Get("auth::sasl::password"))
}
