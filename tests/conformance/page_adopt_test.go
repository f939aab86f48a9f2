// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The page shows a service that no pack owns apart, with its names before and after, and its buttons copy what
// adopts it, with and without the clipboard that browsers give to pages of https.
func TestAdoptionInBrowser(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withConventions("{}")}})
	b := startBrowser(t)
	sendNewcomer(t, c)
	_, s := reportOf(t, c)
	b.do(t, chromedp.Navigate("http://"+c.Page+"/"))
	b.await(t, `document.querySelectorAll("#adopt summary").length === 1`)
	assert.Contains(t, b.texts(t, "#services h3"), "Services that no pack owns")
	assert.Zero(t, evaluate[int](t, b, `document.querySelectorAll("#findings .violation").length`), "names that pass are no violations")
	assert.Zero(t, evaluate[int](t, b, `document.querySelectorAll("#adopt table").length`), "what is closed is not drawn")

	b.do(t, chromedp.Click(chromedp.CSS("#adopt summary")))
	b.await(t, `document.querySelectorAll("#adopt tbody tr").length >= 6`)
	names := b.texts(t, `#adopt table[aria-label^="Names of"] tbody tr`)
	assert.Len(t, names, 5)
	assert.Contains(t, fmt.Sprint(names), "tc_shop_orders_taken")
	assert.Contains(t, fmt.Sprint(b.texts(t, `#adopt table[aria-label^="Ids of"] tbody tr`)), "order.id")
	assert.Contains(t, fmt.Sprint(b.texts(t, `#adopt table[aria-label^="Protected"] tbody tr`)), "gen_ai.input.messages")
	// A new report closes nothing.
	evaluate[chromedp.Void](t, b, `(() => {
		window.drawn = 0;
		new MutationObserver(() => drawn++).observe(document.getElementById("age"), { subtree: true, childList: true, characterData: true });
		return {};
	})()`)
	b.await(t, `drawn > 2 && document.querySelector("#adopt details").open`)

	const buttons = `#adopt button.copy`
	press := func(i int) string {
		t.Helper()
		// The button says so for a moment only.
		evaluate[chromedp.Void](t, b, fmt.Sprintf(`(() => {
			const button = document.querySelectorAll(%q)[%d];
			window.copied = "", window.said = [];
			new MutationObserver(() => said.push(button.innerText)).observe(button, { characterData: true, subtree: true });
			button.click();
			return {};
		})()`, buttons, i))
		b.await(t, `window.copied !== "" && said.includes("Copied")`)
		return evaluate[string](t, b, "window.copied")
	}
	check := func() {
		t.Helper()
		for i, want := range []string{s.Adopt, s.AdoptValues, s.AdoptVariable} {
			assert.Equal(t, want, press(i))
		}
		_, err := conventions.Parse("draft.yaml", []byte(press(3)))
		require.NoError(t, err)
	}
	evaluate[chromedp.Void](t, b, `(navigator.clipboard.writeText = async (text) => { window.copied = text; }, {})`)
	check()
	evaluate[chromedp.Void](t, b, `(navigator.clipboard.writeText = async () => { throw new Error("not of https"); },
		document.execCommand = () => { window.copied = document.activeElement.value; return true; }, {})`)
	b.await(t, fmt.Sprintf(`[...document.querySelectorAll(%q)].every((e) => e.innerText !== "Copied")`, buttons))
	check()
	for _, label := range evaluate[[]string](t, b, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.getAttribute("aria-label"))`, buttons)) {
		assert.Contains(t, label, newcomer)
	}
	b.do(t, chromedp.EmulateViewport(phone.width, phone.height, chromedp.EmulateMobile))
	checkPhone(t, b)
	assert.Empty(t, b.console(), "what the browser complained of")
	assert.Equal(t, []string{c.Page}, b.hostsAsked())
}
