package conventions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Source is where a pack comes from: one of the two.
type Source struct {
	// Pack is a built-in system's name, or the path of a YAML file (anything with
	// a slash or ending in .yaml).
	Pack string
	// Registry is the folder of a semantic-convention registry.
	Registry string
}

// Load returns the packs of the sources, in that order. No sources select all
// built-in packs. Where two packs own the same telemetry the earlier one decides,
// so a user's own pack goes first.
//
// Built-in packs are shared by all who load them, so nobody may change a pack.
//
// Errors name the file, the line, the key and the value.
func Load(sources []Source) ([]*Pack, error) {
	if len(sources) == 0 {
		for _, name := range Builtin() {
			sources = append(sources, Source{Pack: name})
		}
	}
	packs := make([]*Pack, 0, len(sources))
	for i, source := range sources {
		pack, err := source.load()
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

func (s Source) load() (*Pack, error) {
	if s.Registry != "" {
		return LoadRegistry(s.Registry)
	}
	name := s.Pack
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
	pack, err := decode(&doc)
	if err != nil {
		return nil, inFile(file, err)
	}
	return pack, nil
}

// decode makes a pack of a document that follows the schema.
func decode(doc *yaml.Node) (*Pack, error) {
	pack := &Pack{}
	if err := doc.Decode(pack); err != nil {
		return nil, err
	}
	if err := pack.check(doc); err != nil {
		return nil, err
	}
	return pack, nil
}
