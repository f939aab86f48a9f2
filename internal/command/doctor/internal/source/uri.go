// SPDX-License-Identifier: Apache-2.0

package source

import (
	"net/url"
	"regexp"
	"strings"
)

// driveLetter matches the start of a Windows path, which is no scheme.
var driveLetter = regexp.MustCompile("^[A-z]:")

// withScheme returns a value of --config as the resolver reads it: a value without a scheme is a file.
func withScheme(config string) string {
	if driveLetter.MatchString(config) || !strings.Contains(config, ":") {
		return "file:" + config
	}
	return config
}

// displayLength is the number of characters shown of a configuration in an argument.
const displayLength = 60

// displayName returns the text before a line number: a path that an editor can open, or an address without
// its secrets.
func displayName(uri string) string {
	scheme, rest, _ := strings.Cut(uri, ":")
	switch scheme {
	case "file":
		return rest
	case "http", "https":
		if address, err := url.Parse(uri); err == nil {
			address.RawQuery = "" // it can have a token
			return address.Redacted()
		}
	case "yaml":
		uri, _, _ = strings.Cut(uri, "\n")
		uri, _, _ = strings.Cut(uri, ": ") // the value can be a secret
		if short := []rune(uri); len(short) > displayLength {
			return string(short[:displayLength]) + "…"
		}
	}
	return uri
}
