// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"go.opentelemetry.io/collector/pdata/plog"
)

// The keys of structured records for time, severity, message and source. An earlier key wins.
// Those with @ are CLEF's, those in upper case .NET's and Serilog's. OpenTelemetry's are in the forms of its
// protocol, of its languages and of its exporters.
var (
	timeKeys     = []string{"time", "timestamp", "ts", "@timestamp", "t", "asctime", "@t", "Timestamp", "timeUnixNano", "time_unix_nano", "TimeUnixNano", "observedTimeUnixNano"}
	severityKeys = []string{"level", "severity", "lvl", "levelname", "log.level", "@l", "LogLevel", "severityText", "severity_text", "SeverityText", "Level", "Severity"}
	bodyKeys     = []string{"message", "msg", "body", "event", "@m", "@mt", "Message", "Body", "RenderedMessage", "MessageTemplate"}
	sourceKeys   = []string{"caller", "source"}
)

// numberKeys are OpenTelemetry's keys for the number of a severity, 1 to 24. The last is the key of a word elsewhere.
var numberKeys = []string{"severityNumber", "severity_number", "SeverityNumber", "Severity"}

// innerSeverity and innerBody are keys inside an object, each after the key of that object:
// those of the Elastic Common Schema and of Rust's tracing.
var (
	innerSeverity = [2]string{"log", "level"}
	innerBody     = [2]string{"fields", "message"}
)

// maxKeys bounds the keys of a record, and of a value in it. The time to fill a map grows with
// the square of the number of keys.
const maxKeys = 500

// isRecordKey reports whether an object with this key is a log record.
func isRecordKey(key string) bool {
	return slices.Contains(timeKeys, key) || isLevelOrMessage(key)
}

func isLevelOrMessage(key string) bool {
	return slices.Contains(severityKeys, key) || slices.Contains(bodyKeys, key)
}

// assign moves time, severity, message and source out of the attributes. Values that it cannot
// parse stay there.
func (e *Entry) assign() {
	if e.takeLoguru() {
		return
	}
	e.takeScopes()
	e.take(timeKeys, func(a Attribute) bool {
		e.Time = parseTime(a.Text, a.Kind == KindString)
		return !e.Time.IsZero()
	})
	e.take(severityKeys, func(a Attribute) bool {
		if a.Kind == KindJSON && gjson.Parse(a.Text).Type != gjson.Number {
			return false
		}
		if a.Text == "" || a.Key == "Severity" && a.Kind == KindJSON {
			return false // the number is beside it, or it is the number
		}
		e.SeverityText, e.Severity = a.Text, ParseSeverity(a.Text)
		return true
	})
	e.takeNumber()
	e.take(bodyKeys, func(a Attribute) bool {
		text, ok := bodyOf(a)
		e.Body = text
		return ok
	})
	if e.SeverityText == "" {
		if text := e.inner(innerSeverity); text != "" {
			e.SeverityText, e.Severity = text, ParseSeverity(text)
		}
	}
	if e.Body == "" {
		e.Body = e.inner(innerBody)
	}
	e.takeTarget()
	e.takeSource()
}

// takeNumber takes OpenTelemetry's number of the severity. It is more exact than a word.
func (e *Entry) takeNumber() {
	e.take(numberKeys, func(a Attribute) bool {
		n, end := integer(a.Text, 0)
		if end != len(a.Text) || n < 0 || n > int64(plog.SeverityNumberFatal4) {
			return false
		}
		if n > 0 {
			e.Severity = plog.SeverityNumber(n)
		}
		return true
	})
}

// bodyOf returns the message in a value: a text, or one in the forms of OpenTelemetry's protocol and of its exporter
// for Go.
func bodyOf(a Attribute) (text string, ok bool) {
	if a.Kind == KindString {
		return a.Text, true
	}
	if !strings.EqualFold(a.Key, "body") {
		return "", false
	}
	value := gjson.Parse(a.Text)
	text = value.Get("stringValue").String()
	if inner := value.Get("Value"); inner.Type == gjson.String && value.Get("Type").Str == "String" {
		text = inner.Str
	}
	return text, text != ""
}

// takeTarget renames the key for the module in a record of Rust's tracing. Only what is beside it shows that it
// is not an address, an environment or a file.
func (e *Entry) takeTarget() {
	has := func(key string) bool {
		return slices.ContainsFunc(e.Attributes, func(a Attribute) bool { return a.Key == key })
	}
	if e.inner(innerBody) == "" && (!has("filename") || !has("line_number")) {
		return
	}
	for i := range e.Attributes {
		if a := &e.Attributes[i]; a.Key == "target" && a.Kind == KindString {
			a.Key = "logger.name"
		}
	}
}

// inner returns the text of a key inside an object, which it leaves unchanged.
func (e *Entry) inner(keys [2]string) string {
	for _, a := range e.Attributes {
		if a.Key == keys[0] && a.Kind == KindJSON {
			if value := gjson.Parse(a.Text).Get(keys[1]); value.Type == gjson.String {
				return value.String()
			}
		}
	}
	return ""
}

// take removes the first attribute of the keys that use accepts.
func (e *Entry) take(keys []string, use func(Attribute) bool) {
	for _, key := range keys {
		for i := range e.Attributes {
			if a := &e.Attributes[i]; a.Key == key && use(*a) {
				e.Attributes = slices.Delete(e.Attributes, i, i+1)
				return
			}
		}
	}
}

// takeSource moves the source location to the keys of the semantic conventions.
func (e *Entry) takeSource() {
	var function, file string
	var line int64
	e.take(sourceKeys, func(a Attribute) bool {
		if a.Kind == KindJSON { // slog writes an object
			source := gjson.Parse(a.Text)
			function, file, line = source.Get("function").String(), source.Get("file").String(), source.Get("line").Int()
			return file != ""
		}
		// Go loggers write file:line. Other programs use these keys for network addresses.
		at := strings.LastIndexByte(a.Text, ':')
		n, end := integer(a.Text, at+1)
		if at < 0 || end != len(a.Text) || !strings.HasSuffix(a.Text[:at], ".go") {
			return false
		}
		file, line = a.Text[:at], n
		return true
	})
	if file == "" {
		file, line = e.takeFileName()
	}
	if file == "" {
		return
	}
	e.Attributes = append(e.Attributes,
		Attribute{Key: "code.file.path", Text: file}, Attribute{Key: "code.line.number", Kind: KindInt, Int: line})
	if function != "" {
		e.Attributes = append(e.Attributes, Attribute{Key: "code.function.name", Text: function})
	}
}

// takeFileName removes the source location of Python's records and of Rust's tracing. Without the number of a
// line, filename is often the name of another file.
func (e *Entry) takeFileName() (file string, line int64) {
	for _, key := range []string{"lineno", "line_number"} {
		at := slices.IndexFunc(e.Attributes, func(a Attribute) bool { return a.Key == key })
		name := slices.IndexFunc(e.Attributes, func(a Attribute) bool { return a.Key == "filename" && a.Kind == KindString })
		if at < 0 || name < 0 {
			continue
		}
		n, end := integer(e.Attributes[at].Text, 0)
		if end != len(e.Attributes[at].Text) {
			continue
		}
		file = e.Attributes[name].Text
		e.Attributes = slices.DeleteFunc(e.Attributes, func(a Attribute) bool { return a.Key == key || a.Key == "filename" })
		return file, n
	}
	return "", 0
}
