package conventions

import (
	"embed"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml
var builtin embed.FS

// builtinPacks are the packs in the binary, by name. A collector loads them a dozen times
// while it starts, for each component that has packs, so each is read once.
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

// readBuiltin reads a pack without holding it against the schema, which takes longer than
// all the rest. A test has done that.
func readBuiltin(name string) *Pack {
	text, err := builtin.ReadFile(name + ".yaml")
	if err != nil {
		panic(err) // the name is that of an embedded file
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		panic(err)
	}
	pack, err := decode(&doc)
	if err != nil {
		panic(err) // every test of a component loads all packs
	}
	return pack
}
