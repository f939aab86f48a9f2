// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var (
	faultAnchor = regexp.MustCompile(`(unknown )?anchor '([^']+)'`)
	faultLine   = regexp.MustCompile(`line (\d+):`)
	keyOfLine   = regexp.MustCompile(`^( *)(?:- +)?["']?([^\s"'#:][^"'#:]*(?:/[^"'#:]*)?)["']?:(?:\s|$)`)
)

// explainYAML returns an error that begins with the file and the line of a fault in YAML, and names the key around
// it: a file with a fault has no tree of keys.
func explainYAML(file, text string, fault error) error {
	line := lineOf(text, fault.Error())
	if line == 0 {
		return fmt.Errorf("%s: %w%s", file, fault, templateHint(text))
	}
	key := ""
	if path := keysAt(text, line); len(path) > 0 {
		key = " at or after " + setting(path) + ":"
	}
	return fmt.Errorf("%s:%d:%s %w%s", file, line, key, fault, templateHint(text))
}

// lineOf returns the line of a fault, or 0. The parser names none for some faults.
func lineOf(text, fault string) int {
	if match := faultLine.FindStringSubmatch(fault); match != nil {
		if line, err := strconv.Atoi(match[1]); err == nil {
			return line
		}
	}
	if match := faultAnchor.FindStringSubmatch(fault); match != nil {
		sign := "[*]"
		if match[1] == "" {
			sign = "&"
		}
		if at := regexp.MustCompile(sign + regexp.QuoteMeta(match[2]) + `(?:[\s,\]}:]|$)`).FindStringIndex(text); at != nil {
			return 1 + strings.Count(text[:at[0]], "\n")
		}
	}
	if strings.Contains(fault, "control characters") || strings.Contains(fault, "UTF-8") {
		for i, r := range text {
			_, size := utf8.DecodeRuneInString(text[i:])
			if isControl(r) || r == utf8.RuneError && size == 1 {
				return 1 + strings.Count(text[:i], "\n")
			}
		}
	}
	var document yaml.Node
	if strings.Contains(fault, "invalid map key") && yaml.Unmarshal([]byte(text), &document) == nil {
		return lineOfKey(&document)
	}
	return 0
}

// isControl reports whether YAML does not allow a character.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r >= 0xfffe && r <= 0xffff
}

// lineOfKey returns the line of the first key that is a list or a mapping, or 0.
func lineOfKey(document *yaml.Node) int {
	line := 0
	walkNodes(document, func(node *yaml.Node) {
		for i := 0; line == 0 && node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 {
			if key := node.Content[i]; key.Kind == yaml.SequenceNode || key.Kind == yaml.MappingNode {
				line = key.Line
			}
		}
	})
	return line
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
