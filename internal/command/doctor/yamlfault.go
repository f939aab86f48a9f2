// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	faultLine = regexp.MustCompile(`line (\d+):`)
	keyOfLine = regexp.MustCompile(`^( *)(?:- +)?["']?([^\s"'#:][^"'#:]*(?:/[^"'#:]*)?)["']?:(?:\s|$)`)
)

// explainYAML returns an error that begins with the file and the line of a fault in YAML, and names the key around
// it: a file with a fault has no tree of keys.
func explainYAML(file, text string, fault error) error {
	match := faultLine.FindStringSubmatch(fault.Error())
	if match == nil {
		return fmt.Errorf("%s: %w%s", file, fault, templateHint(text))
	}
	line, err := strconv.Atoi(match[1])
	if err != nil {
		return fmt.Errorf("%s: %w", file, fault)
	}
	key := ""
	if path := keysAt(text, line); len(path) > 0 {
		key = " at or after " + setting(path)
	}
	return fmt.Errorf("%s:%d:%s: %w%s", file, line, key, fault, templateHint(text))
}

// templateHint returns what to do with a template of Helm.
func templateHint(text string) string {
	if placeholder.MatchString(text) {
		return " (it has {{ }} of a template language: check what `helm template` makes of it)"
	}
	return ""
}

// keysAt returns the keys around a line, by their indentation.
func keysAt(text string, line int) []string {
	type level struct {
		indent int
		key    string
	}
	var levels []level
	for i, content := range strings.Split(text, "\n") {
		if i >= line {
			break
		}
		match := keyOfLine.FindStringSubmatch(content)
		if match == nil {
			continue
		}
		indent := len(match[1])
		for len(levels) > 0 && levels[len(levels)-1].indent >= indent {
			levels = levels[:len(levels)-1]
		}
		levels = append(levels, level{indent, match[2]})
	}
	var path []string
	for _, l := range levels {
		path = append(path, l.key)
	}
	return path
}
