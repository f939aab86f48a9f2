// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
)

//go:embed *.yaml
var builtin embed.FS

// builtinPacks are the packs in the binary, by name. Each is parsed once, because every component with
// packs loads them at the start.
var builtinPacks = readBuiltins()

func readBuiltins() map[string]func() *Pack {
	packs := map[string]func() *Pack{}
	for _, name := range Builtin() {
		packs[name] = sync.OnceValue(func() *Pack { return readBuiltin(name) })
	}
	return packs
}

// Builtin returns the names of the packs in the binary, sorted.
func Builtin() []string {
	entries, err := builtin.ReadDir(".")
	if err != nil {
		panic(err) // the embedded root always exists
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// readBuiltin parses a pack without the schema, whose validation takes longer than everything else. A test
// validates the built-in packs.
func readBuiltin(name string) *Pack {
	text, err := builtin.ReadFile(name + ".yaml")
	if err != nil {
		panic(err) // the name is that of an embedded file
	}
	// The end of each built-in pack is its examples, which a collector does not need.
	text, _, _ = bytes.Cut(text, []byte("\nexamples:\n"))
	root, err := document.Read("a pack", text)
	if err != nil {
		panic(err)
	}
	pack, err := decode(root)
	if err != nil {
		panic(err) // the tests of components load all packs
	}
	return pack
}

// Builtins is the entry of the setting packs that stands for all built-in packs.
const Builtins = "builtin"

// Load returns the packs of the setting packs, in the order of the setting: built-in packs by name, YAML
// files by path, {registry: folder}, and Builtins. An empty setting selects all built-in packs. If two
// packs own the same telemetry, the earlier one decides, so a user's own pack goes first.
//
// Builtins stands for the built-in packs of the systems that no other entry describes, so that an own pack
// replaces the built-in one of its system.
//
// Callers share the built-in packs and must not change a pack.
//
// The error contains the faults of every pack. Errors name the file, the line, the key and the value.
func Load(setting []any) ([]*Pack, error) { return LoadFrom(Disk, setting) }

// Files returns the file at a path, or the *.yaml files below a folder.
type Files = document.Files

// File is a file that was read.
type File = document.File

// Disk reads files. It refuses those that are not regular, or too large.
func Disk(path string) ([]File, error) { return document.Disk(path) }

// LoadFrom is Load with files from anywhere.
func LoadFrom(read Files, setting []any) ([]*Pack, error) {
	if len(setting) == 0 {
		setting = []any{Builtins}
	}
	named, err := loadNamedSources(read, setting)
	if err != nil {
		return nil, err
	}
	sources := expandBuiltins(named)
	if err := checkHidden(sources); err != nil {
		return nil, err
	}
	packs := make([]*Pack, len(sources))
	for i, s := range sources {
		packs[i] = s.pack
	}
	return packs, nil
}

// source is an entry of the setting packs with its pack.
type source struct {
	index int // of the entry in the setting
	entry any
	pack  *Pack // nil: Builtins
}

// loadNamedSources loads the packs of all entries but Builtins.
func loadNamedSources(read Files, setting []any) ([]source, error) {
	var faults []error
	sources := make([]source, 0, len(setting))
	for i, entry := range setting {
		s := source{index: i, entry: entry}
		err := s.load(read, sources)
		if err != nil {
			faults = append(faults, fmt.Errorf("packs[%d]: %w", i, err))
		}
		sources = append(sources, s)
	}
	return sources, errors.Join(faults...)
}

// load loads the pack of an entry that comes after others.
func (s *source) load(read Files, earlier []source) error {
	if s.entry == Builtins {
		if slices.ContainsFunc(earlier, func(o source) bool { return o.entry == Builtins }) {
			return fmt.Errorf("must be listed once (got %q again)", Builtins)
		}
		return nil
	}
	pack, err := load(read, s.entry)
	if err != nil {
		return err
	}
	s.pack = pack
	if describes(earlier, pack.System) {
		return fmt.Errorf("system %q is described by an earlier pack", pack.System)
	}
	return nil
}

// describes reports whether the pack of a source describes a system.
func describes(sources []source, system string) bool {
	return slices.ContainsFunc(sources, func(s source) bool { return s.pack != nil && s.pack.System == system })
}

// expandBuiltins replaces Builtins by the built-in packs of the systems that no source describes.
func expandBuiltins(named []source) []source {
	at := slices.IndexFunc(named, func(s source) bool { return s.pack == nil })
	if at < 0 {
		return named
	}
	var all []source
	for _, name := range Builtin() {
		if !describes(named, name) {
			all = append(all, source{named[at].index, name, builtinPacks[name]()})
		}
	}
	return slices.Concat(named[:at], all, named[at+1:])
}

func load(read Files, source any) (*Pack, error) {
	switch s := source.(type) {
	case string:
		return loadNamed(read, s)
	case map[string]any:
		if folder, ok := registryOf(s); ok {
			return loadRegistry(read, folder)
		}
	}
	return nil, fmt.Errorf("must be a name, a path or {registry: folder} (got %v)", source)
}

func registryOf(entry map[string]any) (folder string, ok bool) {
	folder, _ = entry["registry"].(string)
	return folder, folder != "" && len(entry) == 1
}

// loadNamed loads a built-in pack or a file. A name that contains a slash or ends in .yaml is the path of
// a file.
func loadNamed(read Files, name string) (*Pack, error) {
	if isPath(name) {
		text, err := read.Text(name)
		if err != nil {
			return nil, err
		}
		return Parse(name, text)
	}
	pack, known := builtinPacks[name]
	if !known {
		return nil, fmt.Errorf("no built-in pack %q: known are %s; builtin stands for all; a path contains a slash or ends in .yaml",
			name, strings.Join(Builtin(), ", "))
	}
	return pack(), nil
}

// Parse parses a pack from YAML text. file is the name of the text in errors. The error has all faults that the schema
// knows or, without these, all others.
func Parse(file string, text []byte) (*Pack, error) {
	root, err := document.Read("a pack", text)
	var pack *Pack
	if err == nil {
		pack, err = parse(root, "pack")
	}
	if err != nil {
		return nil, document.InFile(file, err)
	}
	return pack, nil
}

// parse validates a document against the schema, and decodes and checks it if that is all right. name is the name of
// the document in errors.
func parse(root *yaml.Node, name string) (*Pack, error) {
	if err := checkSchema(root, packSchema(), name); err != nil {
		return nil, err
	}
	return decode(root)
}

// decode decodes and checks a document that was validated against the schema.
func decode(root *yaml.Node) (*Pack, error) {
	pack := &Pack{}
	if err := root.Decode(pack); err != nil {
		return nil, err
	}
	c := &checker{Pack: pack, root: root}
	if err := c.check().Sorted(); err != nil {
		return nil, err
	}
	return pack, nil
}

// Paths returns the files and the folders that a setting packs reads.
func Paths(setting []any) (paths []string) {
	replacePaths(setting, func(path string) string {
		paths = append(paths, path)
		return path
	})
	return paths
}

// Below returns a setting packs whose relative paths begin at a folder.
func Below(folder string, setting []any) []any {
	return replacePaths(setting, func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(folder, path)
	})
}

// replacePaths returns a setting packs with other paths. What is no valid entry stays as it is.
func replacePaths(setting []any, replace func(path string) string) []any {
	replaced := slices.Clone(setting)
	for i, entry := range setting {
		switch s := entry.(type) {
		case string:
			if isPath(s) {
				replaced[i] = replace(s)
			}
		case map[string]any:
			if folder, ok := registryOf(s); ok {
				replaced[i] = map[string]any{"registry": replace(folder)}
			}
		}
	}
	return replaced
}
