// SPDX-License-Identifier: Apache-2.0

// Command valuestable writes the table of the chart's settings in its README: their names, defaults and comments
// in values.yaml.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:generate go run . ../otelcol-tc

// The lines of the README that the table stands between.
const (
	begin = "<!-- settings: go generate ./deploy/helm/valuestable -->\n"
	end   = "<!-- /settings -->\n"
)

// longestDefault is the longest text of a default that the table shows.
const longestDefault = 60

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: valuestable <directory of the chart>")
	}
	readme := os.Args[1] + "/README.md"
	text, err := generate(readme, os.Args[1]+"/values.yaml")
	if err == nil {
		err = os.WriteFile(readme, text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// generate returns the README with the table of the values.
func generate(readme, values string) ([]byte, error) {
	text, err := os.ReadFile(readme)
	if err != nil {
		return nil, err
	}
	before, rest, found := bytes.Cut(text, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !found || !ended {
		return nil, fmt.Errorf("%s: needs the lines %q and %q", readme, begin, end)
	}
	source, err := os.ReadFile(values)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", values, err)
	}
	var table bytes.Buffer
	table.WriteString("| setting | default | meaning |\n| --- | --- | --- |\n")
	if err := writeRows(&table, document.Content[0], ""); err != nil {
		return nil, fmt.Errorf("%s: %w", values, err)
	}
	return bytes.Join([][]byte{before, []byte(begin), table.Bytes(), []byte(end), after}, nil), nil
}

// writeRows writes a row for each setting of a map. A map in it whose keys have comments is settings of its own.
func writeRows(table *bytes.Buffer, settings *yaml.Node, prefix string) error {
	for i := 0; i < len(settings.Content); i += 2 {
		key, value := settings.Content[i], settings.Content[i+1]
		name := prefix + key.Value
		if hasComments(value) {
			if err := writeRows(table, value, name+"."); err != nil {
				return err
			}
			continue
		}
		if key.HeadComment == "" {
			return fmt.Errorf("%s: needs a comment that says what it is", name)
		}
		shown, err := defaultOf(value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(table, "| `%s` | %s | %s |\n", name, shown, escape.Replace(commentText(key.HeadComment)))
	}
	return nil
}

// escape keeps what a table or HTML would read otherwise.
var escape = strings.NewReplacer("|", `\|`, "<", `\<`)

// hasComments reports whether a key in a map, or in a map in it, has a comment.
func hasComments(value *yaml.Node) bool {
	if value.Kind == yaml.MappingNode {
		for i := 0; i < len(value.Content); i += 2 {
			if value.Content[i].HeadComment != "" || hasComments(value.Content[i+1]) {
				return true
			}
		}
	}
	return false
}

// commentText returns the words of the last paragraph of a comment.
func commentText(comment string) string {
	paragraphs := strings.Split(comment, "\n\n")
	var words []string
	for line := range strings.Lines(paragraphs[len(paragraphs)-1]) {
		words = append(words, strings.TrimSpace(strings.TrimPrefix(line, "#")))
	}
	return strings.Join(words, " ")
}

func defaultOf(value *yaml.Node) (string, error) {
	var decoded any
	if err := value.Decode(&decoded); err != nil {
		return "", err
	}
	text, err := json.Marshal(decoded)
	if err != nil {
		return "", err
	}
	if len(text) > longestDefault {
		return "see [values.yaml](values.yaml)", nil
	}
	return "`" + string(text) + "`", nil
}
