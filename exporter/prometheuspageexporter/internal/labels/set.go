package labels

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Set is the labels of one point at a time. It is not safe for concurrent use.
type Set struct {
	names  *Names
	hasher Hasher

	own    int     // labels that are the page's own, which come first
	shared int     // labels that all points of a scope share, which come first as well
	all    []label // as they came
	sorted []label // as they are shown
	bytes  []byte
}

// Key identifies a set. The second hash makes it as good as the labels themselves.
type Key [2]uint64

type label struct {
	name, value string
	key         string // the attribute; the page's own labels have none
}

// NewSet returns an empty Set.
func NewSet(names *Names, hasher Hasher) *Set { return &Set{names: names, hasher: hasher} }

// Hasher makes keys. Those of two hashers cannot be compared.
type Hasher [2]maphash.Seed

// NewHasher returns a Hasher whose keys nobody can foresee.
func NewHasher() Hasher { return Hasher{maphash.MakeSeed(), maphash.MakeSeed()} }

func (h *Hasher) key(text []byte) Key {
	return Key{maphash.Bytes(h[0], text), maphash.Bytes(h[1], text)}
}

// Reset removes all labels.
func (s *Set) Reset() { s.own, s.shared, s.all = 0, 0, s.all[:0] }

// AddOwn adds a label of the page's own. Such labels come before attributes, and an attribute
// that would have the same name gets the prefix that Prometheus gives to labels of a target.
func (s *Set) AddOwn(name, value string) {
	s.all = append(s.all, label{name: name, value: value})
	s.own, s.shared = len(s.all), len(s.all)
}

// Share keeps all labels until now for the points that follow.
func (s *Set) Share() { s.shared = len(s.all) }

// Next removes the labels that are not shared.
func (s *Set) Next() { s.all = s.all[:s.shared] }

// Add adds an attribute. The name reserved is one that the page's format needs.
func (s *Set) Add(key string, value pcommon.Value, reserved string) {
	name := s.names.Label(key)
	if name == reserved || slices.ContainsFunc(s.all[:s.own], func(own label) bool { return own.name == name }) {
		name = "exported_" + name
	}
	// AsString copies a string of bytes only.
	s.all = append(s.all, label{name: name, value: value.AsString(), key: key})
}

// AddAll adds attributes.
func (s *Set) AddAll(attributes pcommon.Map, reserved string) {
	for key, value := range attributes.All() {
		s.Add(key, value, reserved)
	}
}

// Seal puts the labels into the form in which they are shown, and identifies them. Labels of one
// name become one, with their values in the order of their keys. A label without a value is none.
func (s *Set) Seal() Key {
	s.sorted = append(s.sorted[:0], s.all...)
	slices.SortFunc(s.sorted, func(a, b label) int {
		if byName := strings.Compare(a.name, b.name); byName != 0 {
			return byName
		}
		return cmp.Compare(a.key, b.key)
	})
	kept := s.sorted[:0]
	for _, l := range s.sorted {
		if l.value == "" {
			continue
		}
		l.value = strings.ToValidUTF8(l.value, "\uFFFD")
		if n := len(kept); n > 0 && kept[n-1].name == l.name {
			kept[n-1].value += ";" + l.value
			continue
		}
		kept = append(kept, l)
	}
	s.sorted, s.bytes = kept, s.bytes[:0]
	for _, l := range kept {
		// No name and no value has this byte.
		s.bytes = append(append(s.bytes, l.name...), 0xFF)
		s.bytes = append(append(s.bytes, l.value...), 0xFF)
	}
	return s.hasher.key(s.bytes)
}

// Identify returns the key of what is not a set of labels.
func (s *Set) Identify(parts ...string) Key {
	s.bytes = s.bytes[:0]
	for _, part := range parts {
		s.bytes = append(append(s.bytes, part...), 0xFF)
	}
	return s.hasher.key(s.bytes)
}
