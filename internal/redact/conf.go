package redact

import "go.opentelemetry.io/collector/confmap"

// Conf returns a configuration without the user info of URLs. It does not change the given one.
func Conf(conf *confmap.Conf) *confmap.Conf {
	redacted, _ := redactValue(conf.ToStringMap())
	settings, _ := redacted.(map[string]any)
	return confmap.NewFromStringMap(settings)
}
