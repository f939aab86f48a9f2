package logcorrelationprocessor

import (
	"strings"
	"unicode"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// logKey is where records have the key of a rule.
type logKey struct {
	rule          *correlation.Rule
	normalise     *linking.Normalise
	service       *glob.Glob // nil: of any
	attribute     string     // empty: in the body
	before, after string
	traceOnly     bool
}

func logKeys(rule *correlation.Rule, keys []linking.LogKey, service *glob.Glob) []logKey {
	compiled := make([]logKey, len(keys))
	for i, key := range keys {
		compiled[i] = logKey{
			rule: rule, normalise: normaliseOf(rule), service: service,
			attribute: key.Attribute, traceOnly: key.IDs == linking.LogIDsTrace,
		}
		if key.Body != "" {
			compiled[i].before, compiled[i].after = key.BodyAround()
		}
	}
	return compiled
}

// normaliseOf is what makes the values of logs like those of spans.
func normaliseOf(rule *correlation.Rule) *linking.Normalise {
	switch {
	case rule.Key != nil:
		return &rule.Key.Normalise
	case rule.To != nil && rule.To.Key != nil:
		return &rule.To.Key.Normalise
	case rule.From != nil && rule.From.Key != nil:
		return &rule.From.Key.Normalise
	default:
		return &linking.Normalise{}
	}
}

// write writes the key that a record has. What comes before the value in the body ends
// at begin of its text, or is not there if that is 0.
func (k *logKey) write(w *correlation.Writer, resource pcommon.Resource, record plog.LogRecord, text string, begin int) bool {
	if k.attribute != "" {
		value, ok := record.Attributes().Get(k.attribute)
		if !ok || !k.isOf(resource) {
			return false
		}
		k.rule.BeginKey(w, record.Attributes(), resource.Attributes())
		return w.AddValue(value, k.normalise)
	}
	if begin == 0 && k.before != "" {
		return false
	}
	value, ok := valueAt(text[begin:], k.after, k.before == "")
	if !ok || !k.isOf(resource) {
		return false
	}
	k.rule.BeginKey(w, record.Attributes(), resource.Attributes())
	return w.AddText(value, k.normalise)
}

// isOf tells whether the records of a resource can have the key.
func (k *logKey) isOf(resource pcommon.Resource) bool {
	if k.service == nil {
		return true
	}
	service, ok := resource.Attributes().Get("service.name")
	return ok && service.Type() == pcommon.ValueTypeStr && k.service.Match(service.Str())
}

// valueAt is the value that a text begins with. It ends where the text after it is, or
// else at a space or at the end, unless only that text marks it.
func valueAt(text, after string, marked bool) (string, bool) {
	if after != "" {
		if value, _, ok := strings.Cut(text, after); ok {
			return value, true
		}
	}
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		text = text[:end]
	}
	return text, !marked
}

// logKeySet is some keys, in the order in which they decide.
type logKeySet struct {
	keys   []logKey
	bodies *patterns
}

func newLogKeySet(keys []logKey) logKeySet {
	words := make([]string, len(keys))
	for i := range keys {
		words[i] = keys[i].before
	}
	return logKeySet{keys, newPatterns(words)}
}
