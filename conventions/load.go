package conventions

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml
var builtin embed.FS

// Load returns the packs that names select, in that order: a built-in system's
// name, or the path of a YAML file (anything with a slash or ending in .yaml).
// No names select all built-in packs. Where two packs own the same telemetry
// the earlier one decides, so a user's own pack goes first.
//
// Errors name the file, the line, the key and the value.
func Load(names []string) ([]*Pack, error) {
	if len(names) == 0 {
		names = Builtin()
	}
	packs := make([]*Pack, 0, len(names))
	for i, name := range names {
		pack, err := loadOne(name)
		if err != nil {
			return nil, fmt.Errorf("packs[%d]: %w", i, err)
		}
		if slices.ContainsFunc(packs, func(p *Pack) bool { return p.System == pack.System }) {
			return nil, fmt.Errorf("packs[%d]: system %q is described by an earlier pack", i, pack.System)
		}
		packs = append(packs, pack)
	}
	return packs, nil
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

func loadOne(name string) (*Pack, error) {
	if strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".yaml") {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return Parse(name, text)
	}
	text, err := builtin.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no built-in pack %q: known are %s; a path contains a slash or ends in .yaml",
			name, strings.Join(Builtin(), ", "))
	}
	return Parse("conventions/"+name+".yaml", text)
}

// Parse reads one pack from YAML text. File is the name that errors give.
func Parse(file string, text []byte) (*Pack, error) {
	var doc, extra yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, inFile(file, errors.New("a pack must not be empty"))
	} else if err != nil {
		return nil, inFile(file, err)
	}
	if err := decoder.Decode(&extra); !errors.Is(err, io.EOF) {
		return nil, inFile(file, &lineError{extra.Line, errors.New("a pack must be one YAML document")})
	}
	if err := checkSchema(&doc); err != nil {
		return nil, inFile(file, err)
	}
	pack := &Pack{}
	if err := doc.Decode(pack); err != nil {
		return nil, inFile(file, err)
	}
	if err := pack.check(&doc); err != nil {
		return nil, inFile(file, err)
	}
	return pack, nil
}
