// SPDX-License-Identifier: Apache-2.0

package glob

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGlob(t *testing.T) {
	f := func(glob, name string, want bool) {
		t.Helper()
		assert.Equal(t, want, New(glob).Match(name), "%q against %q", glob, name)
	}
	f("tuft", "tuft", true)
	f("tuft", "tuft2", false)
	f("", "", true)
	f("*", "", true)
	f("*", "any\nthing", true)
	f("tuft.*", "tuft.x", true)
	f("tuft.*", "tuftx", false)
	f("*fastdeploy*", "my-fastdeploy-2", true)
	f("*fastdeploy*", "fastdeploy", true)
	f("a*a", "a", false)
	f("a*a", "aa", true)
	f("a*b*c", "aXbYbZc", true)
	f("a*b*c", "acb", false)
	f("a?", "a?", true)
	f("a?", "ab", false)
}

func TestSpecific(t *testing.T) {
	want := []string{"checkout-eu", "checkout-*", "check*out", "checkout*", "*checkout*", "check*", "a*b", "*"}
	var globs []Glob
	for _, text := range []string{"*", "check*", "checkout*", "a*b", "checkout-*", "*checkout*", "check*out", "checkout-eu"} {
		globs = append(globs, New(text))
	}
	slices.SortFunc(globs, Specific)
	for i, g := range globs {
		assert.Equal(t, want[i], g.String())
	}
}

// FuzzGlob compares globs with the equivalent regular expressions.
func FuzzGlob(f *testing.F) {
	f.Add("a*b*c", "abbc")
	f.Fuzz(func(t *testing.T, glob, name string) {
		pattern := `(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, `.*`) + `$`
		re, err := regexp.Compile(pattern)
		if err != nil {
			return // not UTF-8
		}
		assert.Equal(t, re.MatchString(name), New(glob).Match(name))
	})
}
