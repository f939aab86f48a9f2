// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"net/url"
	"regexp"
	"strings"
)

// driveLetter matches the start of a Windows path, which is no scheme.
var driveLetter = regexp.MustCompile("^[A-z]:")

// URI returns a value of --config as the resolver reads it: a value without a scheme is a file.
func URI(config string) string {
	if driveLetter.MatchString(config) || !strings.Contains(config, ":") {
		return "file:" + config
	}
	return config
}

// yamlKey matches the first key of a configuration in an argument.
var yamlKey = regexp.MustCompile(`^yaml:[\w:/.-]{1,60}: `)

// DisplayName returns the text before a line number: a path that an editor can open, or an address without
// its secrets.
func DisplayName(uri string) string {
	scheme, rest, _ := strings.Cut(uri, ":")
	switch scheme {
	case "file":
		return rest
	case "http", "https":
		if address, err := url.Parse(uri); err == nil {
			address.RawQuery = "" // it can have a token
			return address.Redacted()
		}
	case "env":
		name, _, _ := strings.Cut(rest, ":-")
		return "env:" + name
	case "yaml":
		if key := yamlKey.FindString(uri); key != "" {
			return strings.TrimSuffix(key, ": ")
		}
		return "yaml:…" // a value, which can be a secret
	}
	return uri
}
