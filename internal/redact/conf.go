// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// secretKeys are the settings whose values are secrets. Most have a type that says so, and are redacted before, but
// not those of the Kafka client.
var secretKeys = []string{
	"password", "passphrase", "token", "access_token", "secret", "client_secret", "secret_key", "api_key", "credentials", "key_pem",
	"tokens", "inline", // of bearertokenauth and basicauth
}

// Conf returns a configuration without secrets and without the user info of URLs. It does not change the given one.
func Conf(conf *confmap.Conf) *confmap.Conf {
	settings := conf.ToStringMap()
	hideSecrets(settings)
	redactValue(settings)
	return confmap.NewFromStringMap(settings)
}

// hideSecrets replaces the texts of secret settings.
func hideSecrets(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			hideSecrets(element)
		}
	case map[string]any:
		for key, element := range value {
			_, isMap := element.(map[string]any)
			switch {
			case !isMap && slices.Contains(secretKeys, strings.ToLower(key)):
				value[key] = hidden(element, nil)
			case strings.ToLower(key) == "headers": // a map, or a list of a key and a value each
				value[key] = hidden(element, headerNames)
			default:
				hideSecrets(element)
			}
		}
	}
}

// headerNames are the settings of headers_setter that are no secret.
var headerNames = []string{"key", "action", "from_context", "from_attribute"}

// hidden returns a value with its texts replaced, but for those of some keys.
func hidden(value any, shown []string) any {
	switch value := value.(type) {
	case string:
		if value != "" {
			return "[" + replacement + "]"
		}
	case []any:
		for i := range value {
			value[i] = hidden(value[i], shown)
		}
	case map[string]any:
		for key := range value {
			if !slices.Contains(shown, key) {
				value[key] = hidden(value[key], shown)
			}
		}
	}
	return value
}
