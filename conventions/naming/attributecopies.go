// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// AttributeCopies are the copies of attributes in an owner's telemetry: by the rules of its pack, then by those of
// the packs that own all telemetry. A nil *AttributeCopies has none.
type AttributeCopies struct {
	// Copies are in the order in which they decide.
	Copies []AttributeCopy
	// Messages are in the order in which they decide.
	Messages []MessageCopy
	// Chained means that the copies have keys that others are made of.
	Chained bool

	sources map[string][]CopySource
	stays   map[string]bool // keys that are not removed
}

// AttributeCopy is a copy of an attribute, or of a field of its value.
type AttributeCopy struct {
	// From are the keys that the attribute can have, by CopySource.Rank.
	From []string
	// Field is the field of the value that is copied, or empty.
	Field string
	// Key is the key of the copy.
	Key string
	// Decision is about the copy. Nil means that nothing changes it.
	Decision *AttributeDecision
	// Type is the type of the copy, or empty.
	Type conventions.ValueType
	// Values are the values of the copy by those of the attribute in lower case. Nil means that they are the same.
	Values map[string]string
	// With are keys. An item has the copy only if it has one of them. Nil means that all items have it.
	With []string
	// Source is the rule.
	Source Source
}

// CopySource says that an attribute is what a copy is made of.
type CopySource struct {
	// Copy is the index of the copy.
	Copy int
	// Rank is the index of the key in From. Of two attributes the first one is copied.
	Rank int
}

// MessageCopy makes a list of messages.
type MessageCopy struct {
	// Below begins the keys, and ends in a dot.
	Below string
	// Key is the key of the list.
	Key string
	// Decision is about the list. Nil means that nothing changes it.
	Decision *AttributeDecision
	// Form is the convention of the keys.
	Form conventions.MessageForm
	// Source is the rule.
	Source Source
}

// AttributeCopies returns the copies of attributes in an owner's telemetry, or nil.
func (n *Namer) AttributeCopies(owner *System) *AttributeCopies {
	if owner == nil {
		return n.copies()
	}
	return owner.copies()
}

// lazyCopies prepares the copies of an owner's telemetry when they are first asked for: cardinality never asks.
func (n *Namer) lazyCopies(owner *System) func() *AttributeCopies {
	return sync.OnceValue(func() *AttributeCopies { return n.attributeCopies(owner) })
}

// Sources returns the copies that are made of an attribute.
func (c *AttributeCopies) Sources(key string) []CopySource {
	if c == nil {
		return nil
	}
	return c.sources[key]
}

// Read reports whether a copy or a list is made of an attribute.
func (c *AttributeCopies) Read(key string) bool {
	return c != nil && (len(c.sources[key]) > 0 ||
		slices.ContainsFunc(c.Messages, func(m MessageCopy) bool { return strings.HasPrefix(key, m.Below) }))
}

// Lists returns the lists that are made of an attribute.
func (c *AttributeCopies) Lists(key string) (all []MessageCopy) {
	if c == nil {
		return nil
	}
	for _, list := range c.Messages {
		if strings.HasPrefix(key, list.Below) {
			all = append(all, list)
		}
	}
	return all
}

// Removable reports whether an attribute can be removed once it is copied. What is itself a copy stays, so that two
// packs that copy each other's keys lose nothing, and so does what links are made of.
func (c *AttributeCopies) Removable(key string) bool { return !c.stays[key] }

// attributeCopies prepares the copies of an owner's telemetry.
func (n *Namer) attributeCopies(owner *System) *AttributeCopies {
	c := &AttributeCopies{sources: map[string][]CopySource{}, stays: map[string]bool{}}
	for _, system := range n.deciders(owner) {
		for i := range system.pack.Attributes {
			rule := &system.pack.Attributes[i]
			n.addCopies(c, owner, Source{system, []any{"attributes", i, "also"}}, rule.Key, "", rule.Also)
			for _, field := range rule.AlsoFields {
				source := Source{system, []any{"attributes", i, "also_fields", field.Field}}
				n.addCopies(c, owner, source, rule.Key, field.Field, field.Copies)
			}
			if rule.AlsoFields != nil { // its other fields would be lost
				for _, key := range n.keysOf(owner, rule.Key) {
					c.stays[key] = true
				}
			}
		}
		for i, rule := range system.pack.Messages {
			if to, decision, ok := n.copyKey(owner, rule.To); ok {
				source := Source{system, []any{"messages", i}}
				c.Messages = append(c.Messages, MessageCopy{rule.From + ".", to, decision, rule.Form, source})
			}
		}
	}
	if len(c.Copies)+len(c.Messages) == 0 {
		return nil
	}
	c.close(n.systems)
	return c
}

// hasNobodysCopies reports whether a system's telemetry has the copies of what no pack owns: its pack makes none, and
// no rule of it is about more than ids.
func (s *System) hasNobodysCopies() bool {
	return !s.pack.Owns.All && len(s.pack.Messages) == 0 && !slices.ContainsFunc(s.pack.Attributes, func(r conventions.AttributeRule) bool {
		return !reflect.DeepEqual(r, conventions.AttributeRule{Key: r.Key, ID: r.ID, IDOnly: r.IDOnly, IDExcept: r.IDExcept, IDSeen: r.IDSeen})
	})
}

// addCopies adds the copies of an attribute, or of one of its fields. Source is their list.
func (n *Namer) addCopies(c *AttributeCopies, owner *System, source Source, attribute, field string, copies conventions.AttributeCopies) {
	for i, one := range copies {
		to, decision, ok := n.copyKey(owner, one.Key)
		from := n.keysOf(owner, attribute)
		if !ok || slices.Contains(from, to) {
			continue
		}
		added := AttributeCopy{From: from, Field: field, Key: to, Decision: decision, Type: one.Type, Source: Source{source.System, append(slices.Clone(source.Key), i)}}
		if one.With != "" {
			added.With = n.keysOf(owner, one.With)
		}
		if one.Values != nil {
			added.Values = make(map[string]string, len(one.Values))
			for from, to := range one.Values {
				added.Values[strings.ToLower(from)] = to
			}
		}
		for rank, key := range from {
			c.sources[key] = append(c.sources[key], CopySource{len(c.Copies), rank})
		}
		c.Copies = append(c.Copies, added)
	}
}

// close finds out which keys are those of copies.
func (c *AttributeCopies) close(systems []*System) {
	for _, one := range c.Copies {
		c.stays[one.Key] = true
		c.Chained = c.Chained || c.Read(one.Key)
	}
	for _, list := range c.Messages {
		c.stays[list.Key] = true
		c.Chained = c.Chained || c.Read(list.Key)
	}
	for _, system := range systems {
		for i := range system.pack.Links {
			for _, read := range system.pack.Links[i].Reads() {
				c.stays[read.Attribute] = true
			}
		}
	}
}

// keysOf returns the keys that an attribute can have: the conformant one, then the original one, which it keeps if
// the conformant one is taken.
func (n *Namer) keysOf(owner *System, key string) []string {
	if d := n.Attribute(owner, key); d != nil && d.Key != key {
		return []string{d.Key, key}
	}
	return []string{key}
}

// copyKey returns the key that a copy has in the end, and the decision about the copy. It is not ok if the attribute
// would be removed.
func (n *Namer) copyKey(owner *System, key string) (to string, d *AttributeDecision, ok bool) {
	d = n.Attribute(owner, key)
	if d == nil {
		return key, nil, true
	}
	return d.Key, d, d.Sensitive != conventions.SensitiveRemove
}
