package logformat

import (
	"slices"
	"strings"

	"github.com/go-logfmt/logfmt"
)

// logfmtFirst are the keys that loggers write first.
var logfmtFirst = []string{"time", "ts", "t", "timestamp", "level", "lvl", "severity", "msg"}

// matchLogfmt parses a line of key=value pairs. The line must begin with one of logfmtFirst,
// and have a severity or a message, because messages often contain pairs as well.
func matchLogfmt(line string, e *Entry) bool {
	first, _, ok := strings.Cut(line, "=")
	if !ok || !slices.Contains(logfmtFirst, first) {
		return false
	}
	if e != nil {
		e.reset()
	}
	record, keys := false, 0
	decoder := logfmt.NewDecoderSize(strings.NewReader(line), len(line)+1)
	for decoder.ScanRecord() {
		for decoder.ScanKeyval() {
			record = record || isLevelOrMessage(string(decoder.Key()))
			if keys++; keys > maxKeys {
				return false
			}
			if e != nil {
				e.Attributes = append(e.Attributes, Attribute{Key: string(decoder.Key()), Text: string(decoder.Value())})
			}
		}
	}
	if !record || decoder.Err() != nil {
		return false
	}
	if e != nil {
		e.assign()
	}
	return true
}
