// SPDX-License-Identifier: Apache-2.0

// Package containerlog parses the lines that container runtimes write into log files: those of
// the CRI (containerd, CRI-O) and of Docker's json-file driver. Parse splits a line into time,
// stream and text; Pod derives resource attributes from a log's path.
package containerlog

import (
	"bytes"
	"regexp"
	"time"

	"github.com/tidwall/gjson"
)

// Line is a parsed line of a container runtime.
type Line struct {
	Time time.Time
	// Stream is stdout or stderr.
	Stream string
	// Text is what the container wrote. It ends in a newline if the container's line ends. The
	// rest of a longer line follows in the next lines of the stream.
	Text []byte
}

// Parse parses a line with its newline. It returns false if the text is not a line of a
// container runtime. Line.Text may share memory with the given line.
func Parse(line []byte) (Line, bool) {
	if len(line) > 0 && line[0] == '{' {
		return parseDocker(line)
	}
	return parseCRI(line)
}

// parseCRI parses: 2026-11-22T10:00:00.123456789Z stdout F text. Tags are separated by colons.
// Only the first is defined: P for a part of a line, F for its end.
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
	// The space before an empty text may be missing.
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

// parseDocker parses: {"log":"text\n","stream":"stdout","time":"…"}.
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

// podPath matches the log of a container's n-th run as the kubelet names it, and rotated logs,
// compressed or not.
var podPath = regexp.MustCompile(`[/\\]([^_/\\]+)_([^_/\\]+)_([a-f0-9-]+)[/\\]([^._/\\]+)[/\\](\d+)\.log(?:\.\d{8}-\d{6}(?:\.gz)?)?$`)

// podKeys are the resource attributes of podPath's groups.
var podKeys = [...]string{"k8s.namespace.name", "k8s.pod.name", "k8s.pod.uid", "k8s.container.name", "k8s.container.restart_count"}

// Pod returns the resource attributes of a container from its log's path, or nil if the kubelet
// did not name the path.
func Pod(path string) map[string]string {
	groups := podPath.FindStringSubmatch(path)
	if groups == nil {
		return nil
	}
	attributes := make(map[string]string, len(podKeys))
	for i, key := range podKeys {
		attributes[key] = groups[i+1]
	}
	return attributes
}
