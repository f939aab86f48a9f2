// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// checkAxe looks for what axe-core finds, in both themes.
func checkAxe(t *testing.T, b *browser, what string) {
	t.Helper()
	axe, err := os.ReadFile(collectortest.Needs(t, "axe", ".tools/axe.min.js"))
	require.NoError(t, err)
	b.do(t, chromedp.Evaluate[chromedp.Void](string(axe)+"\n;({})"))
	const run = `axe.run(document, { rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] }).then(({ violations }) =>
		violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? n.all[0]?.message ?? "")).join("; ")))`
	for _, theme := range []string{"light", "dark"} {
		// At the top, at once, because the head of the page covers what is scrolled below it.
		evaluate[chromedp.Void](t, b, fmt.Sprintf("(document.documentElement.dataset.theme = %q, scrollTo({ top: 0, behavior: \"instant\" }), {})", theme))
		violations, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](run, chromedp.EvalAwaitPromise))
		require.NoError(t, err)
		assert.Empty(t, violations, "%s, %s", what, theme)
	}
}
