// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"strings"

	dto "github.com/prometheus/client_model/go"
)

const (
	maxPairs      = 4096
	maxPairLength = 255
)

// Pairs caches labels, so that series share labels of the same name and value. It is not safe
// for concurrent use.
type Pairs struct{ known map[[2]string]*dto.LabelPair }

// NewPairs returns an empty Pairs.
func NewPairs() *Pairs { return &Pairs{known: map[[2]string]*dto.LabelPair{}} }

// Labels are the labels of one series.
type Labels struct {
	Pairs []*dto.LabelPair
	// Text is their size in the text format, and Memory their approximate memory, both in
	// bytes.
	Text, Memory int
	// LongestName is the length of the longest name.
	LongestName int
}

// Of returns the labels of a sealed set.
func (p *Pairs) Of(s *Set) Labels {
	labels := Labels{Pairs: make([]*dto.LabelPair, len(s.sorted)), Text: len("{}")}
	for i, l := range s.sorted {
		labels.Text += len(l.name) + len(`="",`) + escaped(l.value)
		labels.LongestName = max(labels.LongestName, len(l.name))
		pair, isNew := p.of(l.name, l.value)
		labels.Pairs[i] = pair
		labels.Memory += pointerSize
		if isNew {
			labels.Memory += pairSize + len(l.name) + len(l.value)
		}
	}
	return labels
}

const (
	pointerSize = 8
	pairSize    = 128 // with the headers of both strings
)

func (p *Pairs) of(name, value string) (found *dto.LabelPair, isNew bool) {
	if pair, ok := p.known[[2]string{name, value}]; ok {
		return pair, false
	}
	// Copy the strings, which share memory with a request.
	text := &struct{ name, value string }{strings.Clone(name), strings.Clone(value)}
	pair := &dto.LabelPair{Name: &text.name, Value: &text.value}
	if len(name) <= maxPairLength && len(value) <= maxPairLength {
		if len(p.known) >= maxPairs {
			clear(p.known)
		}
		p.known[[2]string{text.name, text.value}] = pair
	}
	return pair, true
}

// escaped returns the length of a value after backslashes, quotes and newlines are escaped.
func escaped(value string) int {
	n := len(value)
	for i := range len(value) {
		switch value[i] {
		case '\\', '"', '\n':
			n++
		}
	}
	return n
}
