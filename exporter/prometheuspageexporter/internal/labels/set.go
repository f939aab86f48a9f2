// SPDX-License-Identifier: Apache-2.0

// Package labels converts attributes to the labels of a series, as OpenTelemetry's
// specification of Prometheus compatibility defines. No attribute makes a series invalid. A Set
// collects the labels of one point; Pairs returns them in the form of the page, and shares
// equal ones.
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

	own    int     // the number of the page's own labels, which come first
	shared int     // the number of labels that all points of a scope share
	all    []label // in the order of the calls
	sorted []label // as on the page
	bytes  []byte
}

// Key identifies a set of labels. With 128 bits, equal keys mean equal labels.
type Key [2]uint64

type label struct {
	name, value string
	key         string // the attribute, or empty for the page's own labels
}

// NewSet returns an empty Set.
func NewSet(names *Names, hasher Hasher) *Set { return &Set{names: names, hasher: hasher} }

// Hasher computes keys. Keys of different hashers cannot be compared.
type Hasher [2]maphash.Seed

// NewHasher returns a Hasher with random seeds, so that senders cannot cause collisions.
func NewHasher() Hasher { return Hasher{maphash.MakeSeed(), maphash.MakeSeed()} }

func (h *Hasher) key(text []byte) Key {
	return Key{maphash.Bytes(h[0], text), maphash.Bytes(h[1], text)}
}

// Reset removes all labels.
func (s *Set) Reset() { s.own, s.shared, s.all = 0, 0, s.all[:0] }

// AddOwn adds one of the page's own labels. An attribute with the same name gets the prefix
// exported_, as Prometheus does for labels of a target.
func (s *Set) AddOwn(name, value string) {
	s.all = append(s.all, label{name: name, value: value})
	s.own, s.shared = len(s.all), len(s.all)
}

// Share keeps the current labels for all following points.
func (s *Set) Share() { s.shared = len(s.all) }

// Next removes the labels that are not shared.
func (s *Set) Next() { s.all = s.all[:s.shared] }

// Add adds an attribute. The label name reserved is needed by the metric's type.
func (s *Set) Add(key string, value pcommon.Value, reserved string) {
	name := s.names.Label(key)
	if name == reserved || slices.ContainsFunc(s.all[:s.own], func(own label) bool { return own.name == name }) {
		name = "exported_" + name
	}
	// AsString copies only byte strings.
	s.all = append(s.all, label{name: name, value: value.AsString(), key: key})
}

// AddAll adds attributes.
func (s *Set) AddAll(attributes pcommon.Map, reserved string) {
	for key, value := range attributes.All() {
		s.Add(key, value, reserved)
	}
}

// Seal sorts the labels, and returns their key. Labels of the same name are merged, with their
// values in the order of the attributes' keys. Labels with an empty value are removed.
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
		// Neither names nor values contain this byte.
		s.bytes = append(append(s.bytes, l.name...), 0xFF)
		s.bytes = append(append(s.bytes, l.value...), 0xFF)
	}
	return s.hasher.key(s.bytes)
}

// Identify returns the key of a list of texts that is not a set of labels.
func (s *Set) Identify(parts ...string) Key {
	s.bytes = s.bytes[:0]
	for _, part := range parts {
		s.bytes = append(append(s.bytes, part...), 0xFF)
	}
	return s.hasher.key(s.bytes)
}
