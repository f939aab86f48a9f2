// SPDX-License-Identifier: Apache-2.0

// Package service derives the name of a service from the path of its log. NameOf derives the name from a path
// and the patterns that find it.
package service

import (
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// maxName bounds a name, in bytes.
const maxName = 64

// NameOf returns the name of the service that writes a log: the innermost folder that a wildcard of the pattern
// matches, else the file's name, else the folder before the first wildcard. Ids, dates, numbers and
// endings are removed from names, and common names such as stdout are used last. It returns an empty string
// if nothing names a service. The pattern is the first that matches the path.
func NameOf(path string, patterns []string) string {
	path = filepath.ToSlash(filepath.Clean(path))
	for _, pattern := range patterns {
		pattern = filepath.ToSlash(filepath.Clean(pattern))
		if doublestar.MatchUnvalidated(pattern, path) {
			root, _ := doublestar.SplitPattern(pattern)
			return below(path, root)
		}
	}
	return below(path, filepath.ToSlash(filepath.Dir(path)))
}

// below returns the name of the service from what follows the root of a pattern.
func below(path, root string) string {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, root), "/"), "/")
	folders, file := parts[:len(parts)-1], fileName(parts[len(parts)-1])
	for i := len(folders) - 1; i >= 0; i-- {
		if name := clean(folders[i]); !common(name) {
			return name
		}
	}
	if common(file) {
		if name := clean(filepath.Base(root)); !common(name) {
			return name
		}
	}
	return file
}

// common reports whether a name is that of no service.
func common(name string) bool {
	switch strings.ToLower(name) {
	case "", "log", "logs", "out", "output", "outputs", "stdout", "err", "error", "errors", "stderr", "access", "console", "current", "latest",
		"default", "archive", "archives", "old", "tmp", "var", "data", "mnt", "opt", "home", "srv":
		return true
	}
	return false
}

var (
	// ending matches what follows the name of a log file: extensions, and what rotation adds.
	ending = regexp.MustCompile(`(?i)\.(?:log|out|err|stdout|stderr|txt|json|jsonl|ndjson|gz|zst|bz2|xz)(?:[^A-Za-z].*)?$`)
	// glog matches the names that glog writes: <program>.<host>.<user>.log.<severity>.<time>.<pid>.
	glog = regexp.MustCompile(`^([^.]+)\..*\.log\.(?:INFO|WARNING|ERROR|FATAL)\.`)
	uuid = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// word is a part of a name, with the separators before it.
	word = regexp.MustCompile(`([^\pL\pN]*)([\pL\pN]+)`)
	// stamp matches dates and times without separators, such as 20261122T100000Z.
	stamp = regexp.MustCompile(`^\d{8}[Tt]\d+[Zz]?$`)
	// numbered matches words that number the processes of one service.
	numbered = regexp.MustCompile(`(?i)^(?:pid|tid|rank|worker|proc|process|thread|job|task|run|attempt|shard|part|gpu|node|host|session|replica|dp|tp|pp|ep)\d+$`)
)

func fileName(base string) string {
	if match := glog.FindStringSubmatch(base); match != nil {
		base = match[1]
	}
	for {
		name := ending.ReplaceAllString(base, "")
		if name == base {
			return clean(name)
		}
		base = name
	}
}

// clean removes ids, dates and numbers from a name. It returns an empty string if nothing is left, or if
// the rest is too long for a name.
func clean(name string) string {
	var kept strings.Builder
	for _, match := range word.FindAllStringSubmatch(uuid.ReplaceAllString(name, ""), -1) {
		separators, text := match[1], match[2]
		if isID(text) {
			continue
		}
		if kept.Len() > 0 {
			kept.WriteString(printable(separators))
		}
		kept.WriteString(text)
	}
	if kept.Len() > maxName {
		return ""
	}
	return kept.String()
}

// printable returns separators that a name can have. A folder's name can have line breaks, escape sequences
// and marks that change the direction of text, but no person chose them.
func printable(separators string) string {
	if utf8.ValidString(separators) && strings.IndexFunc(separators, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return separators
	}
	return "-"
}

// The lengths from which a word of hexadecimal digits, or any word with digits in it, is an id.
const minHex, minMixed = 6, 16

// isID reports whether a word is a number, a date, an id, or numbers a process.
func isID(text string) bool {
	digits, hex := 0, 0
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		}
		if unicode.Is(unicode.ASCII_Hex_Digit, r) {
			hex++
		}
	}
	n := utf8.RuneCountInString(text)
	switch {
	case digits == 0:
		return false
	case digits == n, hex == n && n >= minHex, n >= minMixed, numbered.MatchString(text):
		return true
	}
	return stamp.MatchString(text)
}
