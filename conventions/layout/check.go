// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// check reports parts that must not follow each other, and a layout without a part that identifies
// records.
func (l Layout) check() error {
	if err := l.checkParts(); err != nil {
		return err
	}
	if !slices.ContainsFunc(l, func(p Part) bool { return p.Kind == Time || p.Kind == Severity || p.Text == Method }) {
		return errors.New("a layout must have {time:format}, {severity} or {http.request.method}, by which records are recognised")
	}
	return nil
}

// distinctive matches literal text that other programs hardly write at the same place.
var distinctive = regexp.MustCompile(`[A-Za-z]{3}`)

// checkPrefix reports what makes a prefix unclear: where it begins, where it ends, or whose it is.
func (l Layout) checkPrefix() error {
	if err := l.checkParts(); err != nil {
		return err
	}
	known := false
	for _, part := range l {
		switch part.Kind {
		case Time, Severity, Body, Rest:
			return fmt.Errorf("{%s} must not be in a prefix: it belongs to a line", part.name())
		case Literal:
			known = known || distinctive.MatchString(part.Text)
		default:
		}
	}
	if len(l) == 0 || l[0].Kind != Literal || l[0].Text == " " {
		return errors.New("a prefix must begin with literal text, by which it is found")
	}
	if last := l[len(l)-1]; last.Kind != Literal || strings.Trim(last.Text, " ") == "" || l.endsOptionally() {
		return errors.New("a prefix must end in literal text other than spaces, which shows where the line begins")
	}
	if !known {
		return errors.New("a prefix must have literal text with three letters in a row: other programs write the rest too")
	}
	return nil
}

// endsOptionally reports whether the last part belongs to an optional one.
func (l Layout) endsOptionally() bool {
	for i, part := range l {
		if part.Kind == Optional && i+part.Optional == len(l)-1 {
			return true
		}
	}
	return false
}

// checkParts reports parts that must not follow each other, and keys that occur twice.
func (l Layout) checkParts() error {
	seen := map[string]bool{}
	for i, part := range l {
		name := part.name()
		if name != "" && seen[name] {
			return fmt.Errorf("{%s} must occur once", name)
		}
		seen[name] = true
		if part.Text != "" && part.Kind == Body && i+1 < len(l) {
			return fmt.Errorf("{body:%s} must be the end", part.Text)
		}
		if part.endless() && i+1 < len(l) && l[i+1].Kind != Literal {
			return fmt.Errorf("{%s} must be followed by literal text, which shows where it ends", name)
		}
	}
	return nil
}

// name returns the name of a placeholder, or an empty string for another part.
func (p Part) name() string {
	switch p.Kind {
	case Text, Int:
		return p.Text
	case Time:
		return "time"
	case Severity:
		return "severity"
	case Body, Rest:
		return "body"
	}
	return ""
}

// endless reports whether a part ends only where the next one begins.
func (p Part) endless() bool {
	return p.Kind == Text || p.Kind == Skip || p.Kind == Body
}

// timeVerbs are the strptime verbs that a time's format may have, and %Q.
const timeVerbs = "YmbdHIMSpfzQ"

// checkTimeFormat reports unknown, missing and duplicate verbs.
func checkTimeFormat(format string) error {
	if format == ISO {
		return nil
	}
	seen := map[byte]bool{}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		verb := byte(0)
		if i+1 < len(format) {
			verb = format[i+1]
		}
		switch {
		case strings.IndexByte(timeVerbs, verb) < 0:
			return fmt.Errorf("a verb must be %% and one of %s (got %q)", timeVerbs, format[i:min(i+2, len(format))])
		case seen[verb]:
			return fmt.Errorf("%%%c must occur once", verb)
		case verb == 'f' && (i == 0 || format[i-1] != '.' && format[i-1] != ','):
			return errors.New("%f must follow a point or a comma")
		}
		seen[verb] = true
		i++
	}
	if seen['Q'] && len(seen) == 1 {
		return nil
	}
	hours := seen['H'] && !seen['I'] && !seen['p'] || !seen['H'] && seen['I'] && seen['p']
	date := seen['m'] != seen['b'] && seen['d'] || !seen['Y'] && !seen['m'] && !seen['b'] && !seen['d']
	if seen['Q'] || !date || !hours || !seen['M'] || !seen['S'] {
		return fmt.Errorf("a time must be iso, or %%Q alone, or have %%H, or %%I and %%p, with %%M and %%S, and if a date then %%d and one of %%m and %%b (got %q)", format)
	}
	return nil
}
