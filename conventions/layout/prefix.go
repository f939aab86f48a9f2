// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ParsePrefix parses the layout of a prefix: what stands before each line of a system, such as
// "({process.name:word} pid={process.pid:int}) ". The error names the placeholder and the rule.
func ParsePrefix(text string) (Layout, error) {
	l, err := parse(text)
	if err != nil {
		return nil, err
	}
	return l, l.checkPrefix()
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
