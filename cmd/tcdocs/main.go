// SPDX-License-Identifier: Apache-2.0

// Command tcdocs writes docs/reference.md: what is in the binary, each with the page that
// describes it. It also writes docs/pack-reference.md, the keys of packs. It is the last part of
// `make generate`, when go.mod has all modules.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// page lists components, configurations and packs.
const page = "docs/reference.md"

// pages are written from the repository's root.
var pages = map[string]func(repository string) ([]byte, error){page: reference, packPage: packReference}

func main() {
	for path, write := range pages {
		text, err := write(".")
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "tcdocs:", err)
			os.Exit(1)
		}
	}
}

//go:embed reference.tmpl
var referenceTemplate string

// reference returns the page.
func reference(repository string) ([]byte, error) {
	components, err := componentsOf(repository)
	if err != nil {
		return nil, err
	}
	stock := map[string]string{}
	for _, c := range components {
		if c.Folder == "" {
			link := fmt.Sprintf("[`%s`](https://pkg.go.dev/%s@%s)", c.Type, c.pkg, c.version)
			stock[c.Kind] = strings.TrimPrefix(stock[c.Kind]+", "+link, ", ")
		}
	}
	files := func(folder string) ([]described, error) { return describe(repository, folder) }
	written, err := template.New("").Funcs(template.FuncMap{"files": files}).Parse(referenceTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = written.Execute(&out, map[string]any{"Components": components, "Stock": stock})
	return out.Bytes(), err
}

// described is a configuration or a pack.
type described struct{ Name, Path, Purpose string }

// describe returns the configurations or packs of a folder.
func describe(repository, folder string) (all []described, err error) {
	files, err := filepath.Glob(filepath.Join(repository, folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		purpose, err := firstSentence(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		name := filepath.Base(file)
		all = append(all, described{strings.TrimSuffix(name, ".yaml"), folder + "/" + name, purpose})
	}
	return all, nil
}

const ourModule = "github.com/otelcol-tc/otelcol-tc"

// component is one of builder-config.yaml, with what its metadata.yaml says.
type component struct {
	Kind         string `yaml:"-"`
	Folder       string `yaml:"-"` // of our components, in the repository
	HasMetrics   bool   `yaml:"-"`
	pkg, version string

	Type        string
	Description string
	Status      struct{ Stability map[string][]string }
}

// Stability lists levels and their signals; an extension has no signals.
func (c component) Stability() string {
	var all []string
	for level, signals := range c.Status.Stability {
		signals = slices.DeleteFunc(signals, func(signal string) bool { return signal == c.Kind })
		for i, signal := range signals {
			signals[i] = strings.ReplaceAll(signal, "_", " ")
		}
		all = append(all, strings.TrimSuffix(level+": "+strings.Join(signals, ", "), ": "))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// Line is the description in one line, as a cell of a table.
func (c component) Line() string { return strings.Join(strings.Fields(c.Description), " ") }

func componentsOf(repository string) ([]component, error) {
	text, err := os.ReadFile(filepath.Join(repository, "builder-config.yaml"))
	if err != nil {
		return nil, err
	}
	type entry struct{ Gomod, Import string }
	var manifest struct{ Receivers, Processors, Exporters, Connectors, Extensions, Providers []entry }
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	var all []component
	for _, kind := range []struct {
		name    string
		entries []entry
	}{
		{"receiver", manifest.Receivers},
		{"processor", manifest.Processors},
		{"exporter", manifest.Exporters},
		{"connector", manifest.Connectors},
		{"extension", manifest.Extensions},
		{"provider", manifest.Providers},
	} {
		for _, e := range kind.entries {
			module, version, _ := strings.Cut(e.Gomod, " ")
			if e.Import != "" {
				module = e.Import
			}
			c := component{Kind: kind.name, pkg: module, version: version}
			if folder, ours := strings.CutPrefix(module, ourModule+"/"); ours {
				_, err := os.Stat(filepath.Join(repository, folder, "documentation.md"))
				c.Folder, c.HasMetrics = folder, err == nil
			}
			all = append(all, c)
		}
	}
	return all, readMetadata(repository, all)
}

// readMetadata reads the metadata.yaml of each component, from where go finds its package.
func readMetadata(repository string, components []component) error {
	args := []string{"list", "-find", "-f", "{{.Dir}}"}
	for _, c := range components {
		args = append(args, c.pkg)
	}
	var stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = repository, &stderr
	listed, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w: %s", err, &stderr)
	}
	folders := strings.Fields(string(listed))
	if len(folders) != len(components) {
		return fmt.Errorf("go list: %d folders of %d packages", len(folders), len(components))
	}
	for i, folder := range folders {
		file := filepath.Join(folder, "metadata.yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := yaml.Unmarshal(text, &components[i]); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

var (
	// noProse are comments for programs.
	noProse = regexp.MustCompile(`^# (yaml-language-server:|SPDX-)`)
	// ownName is how the head of a profile begins.
	ownName = regexp.MustCompile(`^builtin:[a-z]+ — `)
	// ends is the end of a sentence.
	ends = regexp.MustCompile(`\.( |$)`)
)

// firstSentence returns the one of the comment at the head of a file.
func firstSentence(text string) (string, error) {
	var words []string
	for line := range strings.Lines(text) {
		comment, is := strings.CutPrefix(line, "#")
		if !is || len(words) > 0 && strings.TrimSpace(comment) == "" {
			break
		}
		if !noProse.MatchString(line) {
			words = append(words, strings.Fields(comment)...)
		}
	}
	prose := ownName.ReplaceAllString(strings.Join(words, " "), "")
	end := ends.FindStringIndex(prose)
	if end == nil {
		return "", fmt.Errorf("the comment at the head must begin with a sentence that says what the file is (got %q)", prose)
	}
	return strings.NewReplacer("|", `\|`, "*", `\*`).Replace(prose[:end[0]+1]), nil
}
