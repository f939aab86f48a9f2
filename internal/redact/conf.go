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
			if text, is := element.(string); is && text != "" && slices.Contains(secretKeys, strings.ToLower(key)) {
				value[key] = "[" + replacement + "]"
			}
			hideSecrets(element)
		}
	}
}
