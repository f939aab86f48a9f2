package doctor

import (
	"net/url"
	"regexp"
	"strings"
)

// driveLetter begins a path of Windows, which is no scheme.
var driveLetter = regexp.MustCompile("^[A-z]:")

// withScheme returns a value of --config as the resolver reads it: without a scheme it is a
// file.
func withScheme(config string) string {
	if driveLetter.MatchString(config) || !strings.Contains(config, ":") {
		return "file:" + config
	}
	return config
}

// displayLength is how many characters name a text that is an argument itself.
const displayLength = 60

// displayName returns what is written before a line's number: a path as an editor opens it, or
// an address without its secrets.
func displayName(uri string) string {
	scheme, rest, _ := strings.Cut(uri, ":")
	switch scheme {
	case "file":
		return rest
	case "http", "https":
		if address, err := url.Parse(uri); err == nil {
			return address.Redacted()
		}
	case "yaml":
		uri, _, _ = strings.Cut(uri, "\n")
		if short := []rune(uri); len(short) > displayLength {
			return string(short[:displayLength]) + "…"
		}
	}
	return uri
}
