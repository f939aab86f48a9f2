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

// normaliseOf returns what makes the values of logs equal to those of spans.
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

// write writes the key that a record has, and reports whether it has one.
func (k *logKey) write(w *correlation.Writer, resource pcommon.Resource, record plog.LogRecord) bool {
	if k.attribute != "" {
		value, ok := record.Attributes().Get(k.attribute)
		if !ok || !k.isOf(resource) {
			return false
		}
		k.rule.BeginKey(w, record.Attributes(), resource.Attributes())
		return w.AddValue(value, k.normalise)
	}
	_, text, ok := strings.Cut(record.Body().Str(), k.before)
	if !ok {
		return false
	}
	value, ok := valueAt(text, k.after, k.before == "")
	if !ok || !k.isOf(resource) {
		return false
	}
	k.rule.BeginKey(w, record.Attributes(), resource.Attributes())
	return w.AddText(value, k.normalise)
}

// isOf reports whether the records of a resource can have the key.
func (k *logKey) isOf(resource pcommon.Resource) bool {
	if k.service == nil {
		return true
	}
	service, ok := resource.Attributes().Get("service.name")
	return ok && service.Type() == pcommon.ValueTypeStr && k.service.Match(service.Str())
}

// valueAt returns the value at the beginning of a text. The value ends before the text after, or
// else at a space or at the end. With needsAfter, there is no value without the text after.
func valueAt(text, after string, needsAfter bool) (string, bool) {
	if after != "" {
		if value, _, ok := strings.Cut(text, after); ok {
			return value, true
		}
	}
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		text = text[:end]
	}
	return text, !needsAfter
}
