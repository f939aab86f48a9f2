package conventions

import (
	"embed"
	"fmt"
	"os"
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

// Load returns the packs of a component's setting packs, in the order of the setting: built-in packs by
// name, YAML files by path, and {registry: folder}. An empty setting selects all built-in packs. If two
// packs own the same telemetry, the earlier one decides, so a user's own pack goes first.
//
// Callers share the built-in packs and must not change a pack.
//
// Errors name the file, the line, the key and the value.
func Load(setting []any) ([]*Pack, error) {
	if len(setting) == 0 {
		for _, name := range Builtin() {
			setting = append(setting, name)
		}
	}
	packs := make([]*Pack, 0, len(setting))
	for i, source := range setting {
		pack, err := load(source)
		if err != nil {
			return nil, fmt.Errorf("packs[%d]: %w", i, err)
		}
		if slices.ContainsFunc(packs, func(p *Pack) bool { return p.System == pack.System }) {
			return nil, fmt.Errorf("packs[%d]: system %q is described by an earlier pack", i, pack.System)
		}
		packs = append(packs, pack)
	}
	if err := checkHidden(setting, packs); err != nil {
		return nil, err
	}
	return packs, nil
}

func load(source any) (*Pack, error) {
	switch s := source.(type) {
	case string:
		return loadNamed(s)
	case map[string]any:
		if folder, ok := s["registry"].(string); ok && len(s) == 1 && folder != "" {
			return LoadRegistry(folder)
		}
	}
	return nil, fmt.Errorf("must be a name, a path or {registry: folder} (got %v)", source)
}

// loadNamed loads a built-in pack or a file. A name that contains a slash or ends in .yaml is the path of
// a file.
func loadNamed(name string) (*Pack, error) {
	if strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".yaml") {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return Parse(name, text)
	}
	pack, known := builtinPacks[name]
	if !known {
		return nil, fmt.Errorf("no built-in pack %q: known are %s; a path contains a slash or ends in .yaml",
			name, strings.Join(Builtin(), ", "))
	}
	return pack(), nil
}

// Parse parses a pack from YAML text. file is the name of the text in errors.
func Parse(file string, text []byte) (*Pack, error) {
	root, err := document.Read("a pack", text)
	if err == nil {
		err = checkSchema(root, packSchema(), "pack")
	}
	var pack *Pack
	if err == nil {
		pack, err = decode(root)
	}
	if err != nil {
		return nil, document.InFile(file, err)
	}
	return pack, nil
}

// decode decodes a document that was validated against the schema.
func decode(root *yaml.Node) (*Pack, error) {
	pack := &Pack{}
	if err := root.Decode(pack); err != nil {
		return nil, err
	}
	if err := pack.check(root); err != nil {
		return nil, err
	}
	return pack, nil
}
