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

// Names and forms of settings say what is a secret; the types of these settings do not.
func TestConfHidesSecretsByNameAndForm(t *testing.T) {
	conf := confmap.NewFromStringMap(map[string]any{
		"actions": []any{
			map[string]any{"key": "X-API-Key", "value": "s3cret", "action": "insert"},
			map[string]any{"key": "env", "value": "prod"},
			map[string]any{"key": "a", "value": "Bearer s3cret"},
		},
		"relabel_configs": []any{
			map[string]any{"target_label": "__param_token", "replacement": "s3cret"},
			map[string]any{"target_label": "instance", "replacement": "a"},
		},
		"params":       map[string]any{"gh_token": []any{"s3cret"}, "page": []any{"1"}},
		"attributes":   map[string]any{"http.request.header.x-honeycomb-team": "s3cret", "MYSQL_PWD": "s3cret"},
		"webhook":      "https://hooks.slack.com/services/T0/B0/s3cret",
		"resource":     map[string]any{"auth.token": "s3cret", "clientSecret": "s3cret", "PASSWORD": 12345, "name": "a"},
		"endpoint":     "http://host/v1?api_key=s3cret&x=1#a",
		"headers":      map[string]any{"key": "s3cret"},
		"client":       map[string]any{"headers": []any{map[string]any{"name": "a", "value": "s3cret"}}},
		"http_headers": map[string]any{"a": map[string]any{"values": []any{"s3cret"}, "files": []any{"f"}}},
		"headers_list": "a=s3cret",
		"statements":   []any{`set(log.attributes["password"], "s3cret")`, `set(log.attributes["a"], "b")`},
		"file":         "users:\n  - password: s3cret\n    name: a\n",
		"json":         `{"token": "s3cret"}`,
		"pem":          "-----BEGIN EC PRIVATE KEY-----\ns3cret\n-----END EC PRIVATE KEY-----\n",
		// No secrets.
		"rename":      map[string]any{"time_per_output_token": "a", "time_to_first_token": "b"},
		"max_tokens":  5,
		"token_url":   "http://host/t?page=1",
		"tokens_file": "/f",
		"description": "Basic authentication: none",
		"text":        "a: 1 # kept\nb: [2]\n",
	})
	assert.Equal(t, map[string]any{
		"actions": []any{
			map[string]any{"key": "X-API-Key", "value": "[REDACTED]", "action": "insert"},
			map[string]any{"key": "env", "value": "prod"},
			map[string]any{"key": "a", "value": "Bearer [REDACTED]"},
		},
		"relabel_configs": []any{
			map[string]any{"target_label": "__param_token", "replacement": "[REDACTED]"},
			map[string]any{"target_label": "instance", "replacement": "a"},
		},
		"params":       map[string]any{"gh_token": []any{"[REDACTED]"}, "page": []any{"1"}},
		"attributes":   map[string]any{"http.request.header.x-honeycomb-team": "[REDACTED]", "MYSQL_PWD": "[REDACTED]"},
		"webhook":      "https://hooks.slack.com/services/T0/B0/REDACTED",
		"resource":     map[string]any{"auth.token": "[REDACTED]", "clientSecret": "[REDACTED]", "PASSWORD": "[REDACTED]", "name": "a"},
		"endpoint":     "http://host/v1?api_key=REDACTED&x=1#a",
		"headers":      map[string]any{"key": "[REDACTED]"},
		"client":       map[string]any{"headers": []any{map[string]any{"name": "a", "value": "[REDACTED]"}}},
		"http_headers": map[string]any{"a": map[string]any{"values": []any{"[REDACTED]"}, "files": []any{"f"}}},
		"headers_list": "[REDACTED]",
		"statements":   []any{`set(log.attributes["password"], "[REDACTED]")`, `set(log.attributes["a"], "b")`},
		"file":         "users:\n    - name: a\n      password: '[REDACTED]'\n",
		"json":         "token: '[REDACTED]'\n",
		"pem":          "-----BEGIN EC PRIVATE KEY-----[REDACTED]-----END EC PRIVATE KEY-----\n",
		"rename":       map[string]any{"time_per_output_token": "a", "time_to_first_token": "b"},
		"max_tokens":   5,
		"token_url":    "http://host/t?page=1",
		"tokens_file":  "/f",
		"description":  "Basic authentication: none",
		"text":         "a: 1 # kept\nb: [2]\n",
	}, Conf(conf).ToStringMap())
}

// Prometheus makes parameters of labels.
func TestConfHidesParametersOfScrapes(t *testing.T) {
	conf := confmap.NewFromStringMap(map[string]any{
		"params": map[string]any{"token": []any{"s3cret"}, "key": []any{"s3cret"}, "module": []any{"http_2xx"}, "target": []any{"http://a:b@c"}},
		"relabel_configs": []any{
			map[string]any{"target_label": "__param_token", "replacement": "s3cret"},
			map[string]any{"target_label": "__param_key", "replacement": "s3cret"},
			map[string]any{"target_label": "__param_target", "replacement": "a"},
			map[string]any{"target_label": "key", "replacement": "a"},
		},
		"labels": map[string]any{"__param_api_key": "s3cret", "__param_sig": "s3cret", "__param_module": "a"},
	})
	assert.Equal(t, map[string]any{
		"params": map[string]any{"token": []any{"[REDACTED]"}, "key": []any{"[REDACTED]"}, "module": []any{"http_2xx"}, "target": []any{"http://REDACTED@c"}},
		"relabel_configs": []any{
			map[string]any{"target_label": "__param_token", "replacement": "[REDACTED]"},
			map[string]any{"target_label": "__param_key", "replacement": "[REDACTED]"},
			map[string]any{"target_label": "__param_target", "replacement": "a"},
			map[string]any{"target_label": "key", "replacement": "a"},
		},
		"labels": map[string]any{"__param_api_key": "[REDACTED]", "__param_sig": "[REDACTED]", "__param_module": "a"},
	}, Conf(conf).ToStringMap())
}
