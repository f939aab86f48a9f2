// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

// Template matches an expression of a template language, such as Helm's.
var Template = regexp.MustCompile(`\{\{.*\}\}`)

// HasTemplates reports whether a text may have an expression of a template language.
func (s *Sources) HasTemplates() bool {
	return slices.ContainsFunc(s.values.URIs(), func(uri string) bool {
		text, _ := s.values.Text(uri)
		return strings.Contains(text, "{{")
	})
}

// Explain names the file, the line and the key of what is not valid YAML in the resolver's error.
func (s *Sources) Explain(err error) error {
	for _, uri := range s.URIs {
		text, ok := s.values.Text(uri)
		if !ok {
			continue
		}
		var content any
		if fault := yaml.Unmarshal([]byte(text), &content); fault != nil {
			return explainYAML(cli.DisplayName(uri), text, fault)
		}
		if _, mapping := content.(map[string]any); !mapping && content != nil {
			return fmt.Errorf("%s: a configuration must be a mapping (got %T)", cli.DisplayName(uri), content)
		}
	}
	text := err.Error()
	for _, uri := range s.URIs {
		if strings.HasPrefix(uri, "http") { // its query can have a token
			text = strings.ReplaceAll(text, uri, cli.DisplayName(uri))
		}
	}
	if text != err.Error() {
		return errors.New(text)
	}
	return err
}

// Explains reports whether an error begins with a configuration's name, so that Explain has found its reason.
func (s *Sources) Explains(err error) bool {
	return slices.ContainsFunc(s.URIs, func(uri string) bool { return strings.HasPrefix(err.Error(), cli.DisplayName(uri)+":") })
}

var (
	faultLine = regexp.MustCompile(`line (\d+):`)
	keyOfLine = regexp.MustCompile(`^( *)(?:- +)?["']?([^\s"'#:][^"'#:]*(?:/[^"'#:]*)?)["']?:(?:\s|$)`)
)

// explainYAML returns an error that begins with the file and the line of a fault in YAML, and names the key around
// it: a file with a fault has no tree of keys. The parser names no line for a few faults.
func explainYAML(file, text string, fault error) error {
	hint := ""
	if Template.MatchString(text) {
		hint = " (it has {{ }} of a template language: check what `helm template` makes of it)"
	}
	match := faultLine.FindStringSubmatch(fault.Error())
	if match == nil {
		return fmt.Errorf("%s: %w%s", file, fault, hint)
	}
	line, key := match[1], ""
	if path := keysAt(text, line); len(path) > 0 {
		key = " at or after " + strings.Join(path, confmap.KeyDelimiter) + ":"
	}
	return fmt.Errorf("%s:%s:%s %w%s", file, line, key, fault, hint)
}

// keysAt returns the keys around a line, by their indentation.
func keysAt(text, line string) (keys []string) {
	var indents []int
	last, _ := strconv.Atoi(line)
	for i, content := range strings.Split(text, "\n") {
		match := keyOfLine.FindStringSubmatch(content)
		if i >= last || match == nil {
			continue
		}
		for len(keys) > 0 && indents[len(keys)-1] >= len(match[1]) {
			keys, indents = keys[:len(keys)-1], indents[:len(keys)-1]
		}
		keys, indents = append(keys, match[2]), append(indents, len(match[1]))
	}
	return keys
}
