// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// Read returns the settings with those of the file Settings, whose keys replace these, and the files and folders that
// the settings name. The result names no file of settings. Errors about the file name the file, the line and the key.
func (c *Config) Read() (all *Config, files []string, err error) { return c.ReadFrom(conventions.Disk) }

// ReadFrom is Read with files from anywhere.
func (c *Config) ReadFrom(read conventions.Files) (all *Config, files []string, err error) {
	effective := *c
	effective.Settings = ""
	if c.Settings != "" {
		files = append(files, c.Settings)
		if err := effective.merge(read, c.Settings); err != nil {
			return nil, files, err
		}
	}
	return &effective, append(files, conventions.Paths(effective.Packs)...), nil
}

// merge replaces the settings that a file has. Relative paths of packs in it begin at its folder.
func (c *Config) merge(read conventions.Files, file string) error {
	text, err := read.Text(file)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	var document, extra yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil // nothing but comments
	} else if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := decoder.Decode(&extra); err == nil {
		return fmt.Errorf("%s:%d: must be one YAML document", file, extra.Line)
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", file, err)
	}
	root := document.Content[0]
	if root.ShortTag() == "!!null" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: must be a map of settings", file, root.Line)
	}
	faults := checkKeys(file, root)
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i].Value
		if key == "services" {
			c.Services = map[string]Service{} // set adds the entries
		}
		for _, one := range entries(root.Content[i], root.Content[i+1]) {
			if err := c.set(key, one.value, filepath.Dir(file)); err != nil {
				faults = append(faults, fmt.Errorf("%s:%d: %w", file, one.line, err))
			}
		}
	}
	return errors.Join(faults...)
}

// checkKeys returns the faults of keys that confmap and yaml do not find: those that confmap would split, and doubled
// ones.
func checkKeys(file string, node *yaml.Node) (faults []error) {
	if node.Kind == yaml.MappingNode {
		lines := map[string]int{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			if key.Kind != yaml.ScalarNode || key.Value == "" {
				faults = append(faults, fmt.Errorf("%s:%d: key must be a text (got %q)", file, key.Line, key.Value))
			}
			if strings.Contains(key.Value, confmap.KeyDelimiter) {
				faults = append(faults, fmt.Errorf("%s:%d: %s: must be nested, without %s in a key", file, key.Line, key.Value, confmap.KeyDelimiter))
			}
			if line, ok := lines[key.Value]; ok {
				faults = append(faults, fmt.Errorf("%s:%d: %s: must be set once (is in line %d, too)", file, key.Line, key.Value, line))
			}
			lines[key.Value] = key.Line
		}
	}
	for _, child := range node.Content {
		faults = append(faults, checkKeys(file, child)...)
	}
	return faults
}

// settingAt is a setting, or one entry of it, with its line.
type settingAt struct {
	line  int
	value *yaml.Node
}

// entries returns a setting, in parts if it has entries by service.
func entries(key, value *yaml.Node) (all []settingAt) {
	if key.Value != "services" || value.Kind != yaml.MappingNode {
		return []settingAt{{key.Line, value}}
	}
	for i := 0; i+1 < len(value.Content); i += 2 {
		all = append(all, settingAt{value.Content[i].Line, &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: value.Content[i : i+2]}})
	}
	return all
}

// set reads and checks one setting, and replaces it. It adds entries by service.
func (c *Config) set(key string, node *yaml.Node, folder string) error {
	var value any
	if err := node.Decode(&value); err != nil {
		return err
	}
	read := NewDefaultConfig()
	if err := confmap.NewFromStringMap(map[string]any{key: value}).Unmarshal(read); err != nil {
		return err
	}
	if key == "settings" {
		return errors.New("settings: must not be in the file that it names")
	}
	field := read.field(key)
	err := confmap.Validate(field.Interface())
	if err != nil {
		err = fmt.Errorf("%s: %w", key, err)
	}
	if err := errors.Join(err, read.checkTexts()); err != nil {
		return err
	}
	switch key {
	case "packs":
		c.Packs = conventions.Below(folder, read.packs())
	case "services":
		maps.Copy(c.Services, read.Services)
	default:
		c.field(key).Set(field)
	}
	return nil
}

// field returns the field of a key, which exists.
func (c *Config) field(key string) reflect.Value {
	value := reflect.ValueOf(c).Elem()
	for i := range value.NumField() {
		if value.Type().Field(i).Tag.Get("mapstructure") == key {
			return value.Field(i)
		}
	}
	panic("no field " + key) // confmap has found it
}

// checkTexts returns the faults of what is no type of its own.
func (c *Config) checkTexts() error {
	faults := []error{Mode(c.Mode), naming.ValidatePrefix(c.Prefix)}
	for glob := range c.Services {
		if glob == "" {
			faults = append(faults, fmt.Errorf("services: must be globs of service.name (got %q)", glob))
		}
	}
	return errors.Join(faults...)
}

// Versions returns the files of paths, also those in folders, with their versions.
func Versions(read conventions.Files, paths []string) []conformance.File {
	files := []conformance.File{} // no null in JSON
	for _, path := range paths {
		all, err := read(path)
		if err != nil {
			all = []conventions.File{{Path: path, Err: err}}
		}
		for _, file := range all {
			files = append(files, conformance.File{Path: file.Path, Version: version(file)})
		}
	}
	slices.SortFunc(files, func(a, b conformance.File) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(files)
}

func version(file conventions.File) string {
	if file.Err != nil {
		return file.Err.Error()
	}
	hash := sha256.Sum256(file.Text)
	return fmt.Sprintf("%x", hash[:6])
}
