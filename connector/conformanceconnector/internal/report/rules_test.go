// SPDX-License-Identifier: Apache-2.0

package report

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

const repository = "../../../.."

var (
	headings  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInSlug = regexp.MustCompile(`[^\pL\pN _-]`)
)

// anchorsOf returns the anchors that GitHub makes of the headings of a file.
func anchorsOf(t *testing.T, path string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, path))
	require.NoError(t, err)
	for _, match := range headings.FindAllStringSubmatch(string(text), -1) {
		all = append(all, strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	return all
}

// TestAdvice checks that each rule says what to do, and refers to a section that exists.
func TestAdvice(t *testing.T) {
	for _, r := range Rules() {
		assert.Regexp(t, `^\p{Lu}.*\.$`, r.Action, "%s: the action is whole sentences", r.ID)
		assert.LessOrEqual(t, len(r.Action), 400, "%s: an action is short", r.ID)
		path, anchor, ok := strings.Cut(r.Docs, "#")
		if assert.True(t, ok, "%s: no section of the documentation: %q", r.ID, r.Docs) {
			assert.Contains(t, anchorsOf(t, path), anchor, "%s: %s", r.ID, r.Docs)
		}
		if r.Level == conformance.LevelInformation {
			assert.Regexp(t, `^(Nothing has to be done|Look )`, r.Action, "%s: information asks for nothing", r.ID)
		}
	}
}

// TestAdviceOfRows checks the advice about names that need no change.
func TestAdviceOfRows(t *testing.T) {
	metric := NamingRules[naming.MetricGeneral]
	passing := Row{Key: Key{Rule: metric, passes: true}}
	assert.Equal(t, Advice{Action: actionPassing, Docs: docsPassing}, passing.adviceOf())
	renamed := Row{Key: Key{Rule: RuleRenamed}, By: metric}
	assert.Equal(t, actionRenamed+metric.Action, renamed.adviceOf().Action)
	assert.Equal(t, metric.Code, renamed.adviceOf().Code)
	assert.Equal(t, RuleRenamed.Advice, (&Row{Key: Key{Rule: RuleRenamed}}).adviceOf())
	f := renamed.report(1, true)
	assert.Equal(t, docsURL+metric.Docs, f.Docs)
	ids := Row{Key: Key{Rule: RuleIDsInAttributes, Kind: KindLog}}
	assert.Equal(t, RuleIDsInAttributes.YAML, ids.report(1, true).Paste)
}

func TestHeadline(t *testing.T) {
	score := func(signal string, checked, conformant, outside int64) conformance.Score {
		return conformance.Score{Signal: signal, Owned: conformance.Part{Checked: checked, Conformant: conformant, Outside: outside}}
	}
	f := func(want conformance.Headline, scores ...conformance.Score) {
		t.Helper()
		assert.Equal(t, want, headline(scores, func(s *conformance.Score) conformance.Part { return s.Owned }))
		assert.Equal(t, want, headlineOf([]conformance.Service{{Scores: scores}}))
	}
	none := conformance.Headline{Share: -1}
	f(none)
	f(none, score("traces", 0, 0, 0))
	f(none, score("attributes", 50, 50, 0))
	f(none, score("logs", 5, 0, 5), score("attributes", 50, 50, 0))
	f(conformance.Headline{Signal: "traces", Share: 0.5}, score("metrics", 1, 1, 0), score("traces", 4, 2, 0), score("attributes", 1e9, 1e9, 0))
	f(conformance.Headline{Signal: "attributes", Share: 0.5}, score("traces", 4, 4, 0), score("attributes", 4, 2, 0))
	f(conformance.Headline{Signal: "logs", Share: 0.75}, score("traces", 4, 4, 0), score("logs", 14, 3, 10))
	f(conformance.Headline{Signal: "metrics", Share: 0}, score("metrics", 4, 0, 0))
	two := []conformance.Service{{Scores: []conformance.Score{score("traces", 9, 9, 0)}}, {Scores: []conformance.Score{score("traces", 1, 0, 0)}}}
	assert.Equal(t, conformance.Headline{Signal: "traces", Share: 0.9}, headlineOf(two), "of all services together")
}
