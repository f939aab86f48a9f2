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

// displayLength is how much of a text that came as an argument names it.
const displayLength = 60

// displayName is what stands before the line's number: a path as an editor opens it, without
// what may be secret of an address.
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
