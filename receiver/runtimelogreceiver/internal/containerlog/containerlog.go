// Package containerlog takes the lines apart that container runtimes write into log files:
// those of the CRI (containerd, CRI-O) and those of Docker's json-file driver.
package containerlog

import (
	"bytes"
	"time"

	"github.com/tidwall/gjson"
)

// Line is what a runtime says about what a container wrote.
type Line struct {
	Time time.Time
	// Stream is stdout or stderr.
	Stream string
	// Text is what the container wrote. It ends in a newline if its line ends there; the
	// rest of a longer line comes with the next lines of the stream.
	Text []byte
}

// Parse takes a line apart that ends in a newline. It returns false for any other text
// than one of a container runtime. The text may be a part of the line.
func Parse(line []byte) (Line, bool) {
	if len(line) > 0 && line[0] == '{' {
		return parseDocker(line)
	}
	return parseCRI(line)
}

// parseCRI takes apart: 2026-11-22T10:00:00.123456789Z stdout F text. Of the tags, which
// are separated by colons, only the first is defined: P for a part of a line, F for its end.
func parseCRI(line []byte) (Line, bool) {
	stamp, rest, ok := bytes.Cut(line, []byte{' '})
	if !ok || len(stamp) > len(time.RFC3339Nano) {
		return Line{}, false
	}
	name, rest, ok := bytes.Cut(rest, []byte{' '})
	stream := streamOf(name)
	if !ok || stream == "" {
		return Line{}, false
	}
	// An empty text may have no space before it.
	end := bytes.IndexAny(rest, " \n")
	if end < 0 {
		return Line{}, false
	}
	tag, text := rest[:end], rest[end:]
	if text[0] == ' ' {
		text = text[1:]
	}
	tag, _, _ = bytes.Cut(tag, []byte{':'})
	if len(tag) != 1 || tag[0] != 'F' && tag[0] != 'P' {
		return Line{}, false
	}
	written, err := time.Parse(time.RFC3339Nano, string(stamp))
	if err != nil {
		return Line{}, false
	}
	if tag[0] == 'P' {
		text = bytes.TrimSuffix(text, []byte{'\n'})
	}
	return Line{written, stream, text}, true
}

// parseDocker takes apart: {"log":"text\n","stream":"stdout","time":"…"}.
func parseDocker(line []byte) (Line, bool) {
	if !gjson.ValidBytes(line) {
		return Line{}, false
	}
	fields := gjson.GetManyBytes(line, "log", "stream", "time")
	stream := streamOf([]byte(fields[1].Str))
	if fields[0].Type != gjson.String || stream == "" {
		return Line{}, false
	}
	written, err := time.Parse(time.RFC3339Nano, fields[2].Str)
	if err != nil {
		return Line{}, false
	}
	return Line{written, stream, []byte(fields[0].Str)}, true
}

func streamOf(name []byte) string {
	switch string(name) {
	case "stdout":
		return "stdout"
	case "stderr":
		return "stderr"
	}
	return ""
}
