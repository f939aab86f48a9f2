package logcorrelationprocessor

import "strings"

// patterns finds where in a text values begin, each after its own words. One pass goes
// from one occurrence of a rare byte to the next, for all whose words have it. That is
// several times faster than one search each.
type patterns struct {
	words   []string // empty where there is nothing to find
	anchors []anchor
}

type anchor struct {
	letter byte
	of     []anchored
}

// anchored are words, and where in them the byte is.
type anchored struct{ word, at int }

func newPatterns(words []string) *patterns {
	p := &patterns{words: words}
	for i, word := range words {
		if word != "" {
			p.add(i, rarest(word))
		}
	}
	return p
}

func (p *patterns) add(word, at int) {
	letter := p.words[word][at]
	for i := range p.anchors {
		if p.anchors[i].letter == letter {
			p.anchors[i].of = append(p.anchors[i].of, anchored{word, at})
			return
		}
	}
	p.anchors = append(p.anchors, anchor{letter, []anchored{{word, at}}})
}

// rarest is where the byte is that logs have least often.
func rarest(word string) int {
	rarest := 0
	for at := range len(word) {
		if commonness(word[at]) < commonness(word[rarest]) {
			rarest = at
		}
	}
	return rarest
}

func commonness(c byte) int {
	switch {
	case c >= 'a' && c <= 'z', c == ' ':
		return 3
	case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return 2
	case strings.IndexByte(`-_.,:="/[]()`, c) >= 0:
		return 1
	default:
		return 0
	}
}

// find sets begins to where the values begin after the first occurrences of the words,
// 0 for those that are not there. It tells whether any is.
func (p *patterns) find(text string, begins []int) (any bool) {
	for i := range p.anchors {
		a := &p.anchors[i]
		for from := 0; ; {
			next := strings.IndexByte(text[from:], a.letter)
			if next < 0 {
				break
			}
			from += next
			for _, w := range a.of {
				word := p.words[w.word]
				begin, end := from-w.at, from-w.at+len(word)
				if begin < 0 || end > len(text) || text[begin:end] != word {
					continue
				}
				if !any {
					clear(begins)
					any = true
				}
				if begins[w.word] == 0 {
					begins[w.word] = end
				}
			}
			from++
		}
	}
	return any
}
