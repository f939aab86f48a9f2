// SPDX-License-Identifier: Apache-2.0

package service

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func TestNameOf(t *testing.T) {
	for _, c := range testfiles.Cases[struct {
		Name, Pattern string
		Paths         []string
	}](t, "testdata/names.yaml") {
		for _, path := range c.Paths {
			assert.Equal(t, c.Name, NameOf(path, []string{c.Pattern}), path)
		}
	}

	// The first pattern that matches decides; a file that was renamed out of all of them has its name.
	assert.Equal(t, "shop", NameOf("/var/log/shop/x.log", []string{"/srv/*", "/var/log/*/*", "/var/log/shop/*"}))
	assert.Equal(t, "x", NameOf("/old/shop/x.log.1", []string{"/var/log/*"}))
}

// A name is one printable line.
func TestNamesOfHostilePaths(t *testing.T) {
	f := func(want, path string) {
		t.Helper()
		assert.Equal(t, want, NameOf(path, []string{"/l/*/*.log", "/l/*.log"}), "%q", path)
	}
	f("a-b", "/l/a\nb/x.log")
	f("a-31mb", "/l/a\x1b[31mb/x.log")
	f("a-b", "/l/a\u202eb/x.log")
	f("a-b", "/l/a\xffb/x.log")
	f("a b", "/l/a b/x.log")
	f("x", "/l/..x/y.log")
	f("x", "/l/../x.log")
	f("y", "/l/"+strings.Repeat("x", 10000)+"/y.log")
}

// A name is short, has neither numbers nor ids, and stays as it is when it is cleaned again.
func FuzzNameOf(f *testing.F) {
	for _, path := range []string{"/var/log/otelcol-tc/shop-0/x.log", "/var/log/shop/b-6f1f8b2a-1c1d-4e5f-8a9b-0c1d2e3f4a5b.log.1", "logs/\xff/1.log", "logs/x.log.INFO.1"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		name := NameOf(path, []string{"/var/log/*/*", "/var/log/**/*.log", "logs/*"})
		assert.LessOrEqual(t, len(name), maxName)
		assert.Equal(t, name, clean(name))
		assert.NotContains(t, name, "/")
		assert.Negative(t, strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }))
	})
}
