// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// record is a record with these attributes.
type record struct {
	Attributes map[string]string `yaml:"attributes"`
	IsDebug    bool              `yaml:"debug"`
}

func (r record) Attribute(key string) string { return r.Attributes[key] }

func (r record) Debug() bool { return r.IsDebug }

// lineSample is a line of testdata/lines.yaml.
type lineSample struct {
	record `yaml:",inline"`
	Line   string `yaml:"line"`
	Want   string `yaml:"want"`
}

// marks are around the content in samples.
var marks = regexp.MustCompile(`§[^§]*§`)

func TestLines(t *testing.T) {
	policies := map[Action]*Policy{Redact: New(Config{}, nil), Hash: New(Config{Default: Hash}, nil), Keep: New(Config{Default: Keep}, nil)}
	used := map[string]bool{}
	for _, sample := range testfiles.Cases[lineSample](t, "testdata/lines.yaml") {
		want := cmp.Or(sample.Want, sample.Line)
		line := marks.ReplaceAllString(sample.Line, "SECRET 4711")
		for action, p := range policies {
			length := 0
			count := func(rule *Rule, bytes int) { used[rule.Label], length = true, length+bytes }
			now := p.ScrubLine(action, p.Programs(sample.record), line, false, count)
			if action == Keep {
				assert.Equal(t, line, now)
				continue
			}
			assert.NotContains(t, now, "SECRET", sample.Line)
			assert.NotContains(t, now, "4711", sample.Line)
			assert.Equal(t, len(line)-len(strings.ReplaceAll(want, "…", "")), max(length, len(line)-len(now)), sample.Line)
			if action == Redact {
				assert.Equal(t, strings.ReplaceAll(want, "…", Redacted), now)
			}
			assert.Equal(t, now, p.ScrubLine(action, p.Programs(sample.record), now, false, func(*Rule, int) { t.Error("a second collector", sample.Line) }))
		}
	}
	for _, source := range logLines().Sources {
		assert.True(t, used[source.Label], source.Source)
	}
}

// Every pattern is needed by a sample.
func TestPatternsOfLines(t *testing.T) {
	p, samples := New(Config{}, nil), testfiles.Cases[lineSample](t, "testdata/lines.yaml")
	for i, l := range p.lines {
		found := false
		for _, sample := range samples {
			line := marks.ReplaceAllString(sample.Line, "SECRET")
			found = found || strings.Contains(line, l.Has) && l.applies(sample.record) && (l.Search || l.pattern.MatchString(line))
		}
		assert.True(t, found, l.Has+l.Pattern)
		assert.True(t, l.Search || p.lines[i].pattern.NumSubexp() == 1, l.Pattern)
	}
}

// Lines of others, and lines of the same programs without content, stay.
func TestOtherLines(t *testing.T) {
	p := New(Config{}, nil)
	for _, line := range []string{
		"Received request 4711: GET /users", "Received request: {\"user\": 1}", "Generated response for 4711: output: x", "Receive: object", "Input: 3 files", "Output: done",
		"response_body={'a': 1}", "Request 7 JSON body: {\"user\":\"x\"}", "Added request chatcmpl-1f.", "Receive request: GET /", "request: x", "chat response: fast",
		"Initialize request pool: 5", "Finish: all objects", "in=3, out=4", "DEBUG tool_parser ready",
	} {
		assert.Equal(t, line, p.ScrubLine(Redact, 0, line, false, func(*Rule, int) {}))
	}
	debug := record{Attributes: map[string]string{"logger.name": "LiteLLM"}}
	assert.Equal(t, "Cache hit", p.ScrubLine(Redact, p.Programs(debug), "Cache hit", false, func(*Rule, int) {}))
}

func TestExceptedLines(t *testing.T) {
	p := New(Config{Allow: []string{"log.vllm"}}, nil)
	line := "Generated response chatcmpl-1f: output: 'x', finish_reason: stop"
	assert.Equal(t, line, p.ScrubLine(Redact, 0, line, false, nil))
}

func TestScopes(t *testing.T) {
	p := New(Config{Allow: []string{"crew_agents"}}, nil)
	for _, source := range models().scoped {
		scope := p.Scope(source.Scope)
		for _, key := range names([]entry{source}) {
			if base := strings.TrimSuffix(key, below); base != "crew_agents" {
				assert.NotNil(t, p.InScope(scope, base, p.Key(base)).Rule, key)
				assert.Nil(t, p.InScope(nil, base, p.Key(base)).Rule, key)
				assert.Nil(t, p.InScope(p.Scope("shop.events"), base, p.Key(base)).Rule, key)
			}
		}
	}
	crew := p.Scope("crewai.telemetry")
	for _, key := range []string{"crew_agents", "crew_id", "agent_role", "crew_inputs_present", "events"} {
		assert.Nil(t, p.InScope(crew, key, p.Key(key)).Rule, key)
	}
	assert.Nil(t, p.Scope("crewai"))
}

func BenchmarkLine(b *testing.B) {
	p := New(Config{}, nil)
	line := "Engine 000: Avg prompt throughput: 12.0 tokens/s, Avg generation throughput: 8.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.4%, Prefix cache hit rate: 41.0%"
	r := record{Attributes: map[string]string{"code.file.path": "loggers.py"}}
	b.ReportAllocs()
	for b.Loop() {
		p.ScrubLine(Redact, p.Programs(r), line, false, func(*Rule, int) {})
	}
}
