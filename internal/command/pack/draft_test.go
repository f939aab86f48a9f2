// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/clitest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

const oneService = `{"at": "2026-01-02T10:00:00Z", "prefix": "tc_", "services": [{"name": "shop"}],
	"findings": [{"rule": "not_conformant", "naming": "metric_general", "signal": "metric", "service": "shop", "original": "orders", "suggestion": "tc_orders"}]}`

func TestDraft(t *testing.T) {
	page := clitest.Serve(t, map[string]string{"/api/v1/report": oneService})
	var texts []string
	for _, from := range []string{page, page + "/", page + "/api/v1/report", testfiles.Save(t, "report.json", oneService)} {
		code, out, errOut := run(t, "draft", "--from", from)
		require.Equal(t, 0, code, errOut)
		texts = append(texts, out)
		assert.Equal(t, texts[0], out)
	}
	_, err := conventions.Parse("draft.yaml", []byte(texts[0]))
	require.NoError(t, err, texts[0])
	assert.Contains(t, texts[0], "orders: tc_orders")
}

func TestDraftErrors(t *testing.T) {
	f := func(report, want string, args ...string) {
		t.Helper()
		code, out, errOut := run(t, append([]string{"draft", "--from", testfiles.Save(t, "report.json", report)}, args...)...)
		assert.Equal(t, 2, code)
		assert.Empty(t, out)
		assert.Contains(t, errOut, want)
	}
	f("<html>", "--from: must be a report of the conformance connector in JSON")
	f(`{}`, "the report has no services yet")
	f(`{"services": [{"name": "a"}, {"name": "b"}]}`, "--service must be set: the report has a, b")
	f(oneService, `the report has no service "b"`, "--service", "b")

	_, _, errOut := run(t, "draft", "--from", "/nosuch.json")
	assert.Contains(t, errOut, "/nosuch.json")
	_, _, errOut = run(t, "draft", "--from", clitest.Serve(t, nil))
	assert.Contains(t, errOut, "404 Not Found")
}
