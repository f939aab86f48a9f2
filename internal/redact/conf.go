// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"reflect"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"
)

// Conf returns a configuration without secrets and without those of URLs. It does not change the given one.
func Conf(conf *confmap.Conf) *confmap.Conf {
	return confmap.NewFromStringMap(hideSecrets(conf.ToStringMap()).(map[string]any))
}

// Setting returns the text of a setting or an attribute without secrets. All of it is one if its name says so.
func Setting(name, text string) string {
	if isSetting(name) {
		return hidden(text, nil).(string)
	}
	return hideSecrets(text).(string)
}

func hideSecrets(value any) any {
	switch value := value.(type) {
	case string:
		return nested(setting(value))
	case []any:
		for i, element := range value {
			value[i] = hideSecrets(element)
		}
	case map[string]any:
		pair := namesSecret(value)
		for key, element := range value {
			_, isMap := element.(map[string]any)
			switch name := strings.ToLower(key); {
			case !isMap && (isSetting(key) || isParameterLabel(key)), pair && slices.Contains(pairValues, name):
				value[key] = hidden(element, nil)
			case isMap && (name == "params" || name == "endpoint_params"):
				value[key] = hiddenParameters(element.(map[string]any))
			case name == "headers" || name == "http_headers" || name == "proxy_connect_header":
				value[key] = hiddenHeaders(element)
			default:
				value[key] = hideSecrets(element)
			}
		}
	}
	return value
}

// isParameterLabel reports whether a label of Prometheus is a parameter of the URL of a target whose value is a credential.
func isParameterLabel(label string) bool {
	parameter, ok := strings.CutPrefix(label, "__param_")
	return ok && standard.isParameter(parameter)
}

// hiddenParameters returns the parameters of URLs without credentials.
func hiddenParameters(parameters map[string]any) any {
	for name, values := range parameters {
		if standard.isParameter(name) {
			parameters[name] = hidden(values, nil)
		}
	}
	return hideSecrets(parameters)
}

// pairNames and pairValues are the settings of a name and its value: of actions of the processor attributes, of headers,
// and of relabelling.
var (
	pairNames  = []string{"key", "name", "header", "attribute", "target_label"}
	pairValues = []string{"value", "values", "default_value", "replacement"}
)

// namesSecret reports whether a mapping is a pair whose name says that the value is a secret.
func namesSecret(pair map[string]any) bool {
	return slices.ContainsFunc(pairNames, func(key string) bool {
		name, ok := pair[key].(string)
		return ok && (isSetting(name) || isParameterLabel(name))
	})
}

// headerNames are the settings of a header that are no secret.
var headerNames = []string{"key", "name", "action", "from_context", "from_attribute", "files"}

// hiddenHeaders returns headers with their values replaced. They are a mapping, or a list of a name and a value each.
// In a mapping, a header can have any name, also that of a setting.
func hiddenHeaders(headers any) any {
	mapping, ok := headers.(map[string]any)
	if !ok {
		return hidden(headers, headerNames)
	}
	for name, header := range mapping {
		mapping[name] = hidden(header, headerNames)
	}
	return mapping
}

// hiddenText replaces a secret that is not in a URL.
const hiddenText = "[" + replacement + "]"

// hidden returns a value with its texts and numbers replaced, but for those of some keys.
func hidden(value any, shown []string) any {
	switch value := value.(type) {
	case nil, bool:
	case string:
		if value != "" {
			return hiddenText
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
	default: // such as a password of digits
		return hiddenText
	}
	return value
}

// nested returns a text without the secrets of settings in it, if it is a mapping or a list in YAML or JSON.
func nested(text string) string {
	if !strings.Contains(text, ":") || !strings.ContainsAny(text, "{\n") {
		return text
	}
	var settings, before any
	if yaml.Unmarshal([]byte(text), &settings) != nil || yaml.Unmarshal([]byte(text), &before) != nil {
		return text
	}
	switch settings.(type) {
	case map[string]any, []any:
	default:
		return text
	}
	if reflect.DeepEqual(hideSecrets(settings), before) {
		return text // as it was written
	}
	redacted, err := yaml.Marshal(settings)
	if err != nil {
		return hiddenText
	}
	return string(redacted)
}
