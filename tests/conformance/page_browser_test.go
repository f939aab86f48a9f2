// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
)

// hostileNames would run a script, load a picture, or turn what follows around, if
// they were anything but text.
var hostileNames = []string{
	"<script>window.hostile = 1</script>",
	"<img src=//127.0.0.2/x onerror=window.hostile=1>",
	"&lt;b&gt;</td></table>",
	"\u202egnp.exe",
}

// hostileShown are the hostile names as a person sees them.
var hostileShown = append(hostileNames[:3:3], `\u{202e}gnp.exe`)

// The page shows what the four systems send, by the real binary in a real browser.
func TestPageInBrowser(t *testing.T) {
	t.Parallel()
	d := startDemo(t, pageTimes)
	b := startBrowser(t)
	for range tcgen.Scenarios {
		d.step(t)
	}
	address := "http://" + d.Page + "/"
	b.do(t, chromedp.Navigate(address))

	// Traces are judged last: late spans are waited for.
	b.await(t, `document.querySelectorAll("#services tbody tr").length >= 8
		&& document.querySelectorAll("#traces svg .node").length >= 20`)
	// Findings that nothing is found for are forgotten in time.
	step := func(name string, check func(t *testing.T)) {
		d.step(t)
		t.Run(name, check)
	}
	step("shows all sections", func(t *testing.T) { checkSections(t, b) })
	step("pictures", func(t *testing.T) { takePictures(t, b, address) })
	hostile := func(name string, check func(t *testing.T)) {
		sendHostileNames(t, d)
		step(name, check)
	}
	hostile("hostile names stay text", func(t *testing.T) { checkHostileNames(t, b, address) })
	hostile("filters", func(t *testing.T) { checkFilter(t, b, address) })
	hostile("sorts", func(t *testing.T) { checkSort(t, b) })
	hostile("a new report leaves the reader alone", func(t *testing.T) { checkRedraw(t, b) })
	hostile("switches the theme", func(t *testing.T) { checkTheme(t, b, address) })
	hostile("works by keyboard", func(t *testing.T) { checkKeyboard(t, b, address) })
	hostile("everybody can use it", func(t *testing.T) { checkAxe(t, b, "the four systems") })
	hostile("fits a phone", func(t *testing.T) { checkPhone(t, b) })
	assert.Empty(t, b.console(), "what the browser complained of")
	assert.Equal(t, []string{d.Page}, b.hostsAsked())

	require.Zero(t, d.Stop(t).Code)
	b.await(t, `document.getElementById("status").dataset.state === "fail"`)
	assert.NotEmpty(t, b.texts(t, "#services tbody tr"), "the last report stays when the collector has gone")
}

// sendHostileNames sends metrics with such names from a service of such a name.
func sendHostileNames(t *testing.T, d *demo) {
	t.Helper()
	metrics := pmetric.NewMetrics()
	resource := metrics.ResourceMetrics().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", hostileNames[0])
	to := resource.ScopeMetrics().AppendEmpty().Metrics()
	for _, name := range hostileNames {
		metric := to.AppendEmpty()
		metric.SetName(name)
		metric.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	}
	collectortest.PostMetrics(t, d.Collector, metrics)
}

func checkSections(t *testing.T, b *browser) {
	services := strings.Join(b.texts(t, "#services tbody th"), "\n")
	for _, service := range []string{"tuft", "tensorcast-global-store", "FastDeploy", "pytango.client"} {
		assert.Contains(t, services, service)
	}
	for _, something := range []string{
		"#overview .tile", "#findings details", "#series svg", "#explain tbody tr", "#traces .way.kept",
		"#links tbody tr", "#logs tbody tr", "#expected .checks li",
	} {
		assert.NotEmpty(t, evaluate[int](t, b, fmt.Sprintf("document.querySelectorAll(%q).length", something)), something)
	}
	systems := b.texts(t, "#traces figcaption")
	assert.Contains(t, strings.Join(systems, "\n"), "tensorcast")
}

func checkHostileNames(t *testing.T, b *browser, address string) {
	b.do(t, chromedp.Navigate(address+"?service="+url.QueryEscape(hostileNames[0])))
	b.await(t, fmt.Sprintf(`document.querySelectorAll("#explain tbody tr").length === %d`, len(hostileNames)))
	assert.Contains(t, b.texts(t, "#services tbody th"), hostileNames[0])
	page := evaluate[string](t, b, "document.body.innerText")
	for _, name := range hostileShown {
		assert.Contains(t, page, name)
	}
	assert.True(t, evaluate[bool](t, b, "window.hostile === undefined"), "a name ran as a script")
	assert.Zero(t, evaluate[int](t, b, `document.querySelectorAll("main script, main img, main b").length`))
}

// rows are those of the table that explains, and what it says that it has.
func rows(t *testing.T, b *browser) (texts []string, says string) {
	t.Helper()
	return b.texts(t, "#explain tbody tr"), evaluate[string](t, b, `document.getElementById("filtered").value`)
}

func checkFilter(t *testing.T, b *browser, address string) {
	b.do(t, chromedp.Navigate(address), chromedp.EmulateViewport(desktop.width, desktop.height))
	b.await(t, `document.querySelectorAll("#explain tbody tr").length > 20`)
	_, before := rows(t, b)
	b.do(t, chromedp.SendKeys(chromedp.CSS("#filter"), "tuft future"))
	check := func() {
		b.await(t, fmt.Sprintf(`!["", %q].includes(document.getElementById("filtered").value)`, before))
		some, says := rows(t, b)
		require.NotEmpty(t, some)
		for _, row := range some {
			assert.Contains(t, strings.ToLower(row), "tuft")
			assert.Contains(t, strings.ToLower(row), "future")
		}
		assert.Regexp(t, fmt.Sprintf(`^%d of \d{2,}$`, len(some)), says)
	}
	check()
	// The address can be shared.
	b.do(t, chromedp.Reload())
	check()
	assert.Equal(t, "tuft future", evaluate[string](t, b, `document.getElementById("filter").value`))

	b.do(t, chromedp.Navigate(address+"?service=tuft&signal=metrics"))
	b.await(t, `document.querySelectorAll("#explain tbody tr").length > 0`)
	assert.Subset(t, []string{"tuft"}, b.texts(t, `#explain td[data-label="Service"]`))
	assert.Subset(t, []string{"metrics"}, b.texts(t, `#explain td[data-label="Signal"]`))

	b.do(t, chromedp.Navigate(address+"?q=nothing-has-this-name"))
	b.await(t, `document.querySelector("#explain .empty") !== null`)
	_, says := rows(t, b)
	assert.Regexp(t, `^0 of \d+$`, says)
	b.do(t, chromedp.Navigate(address))
	b.await(t, `document.querySelectorAll("#explain tbody tr").length > 20`)
}

func checkSort(t *testing.T, b *browser) {
	b.do(t, chromedp.Click(chromedp.CSS("#explain th:first-child button")))
	b.await(t, `document.querySelector("#explain th").getAttribute("aria-sort") === "ascending"`)
	assert.True(t, evaluate[bool](t, b, `[...document.querySelectorAll("#explain tbody th")].map((e) => e.textContent)
		.every((name, i, all) => i === 0 || all[i - 1] <= name)`), "sorted by name")
	b.do(t, chromedp.Click(chromedp.CSS("#explain th:last-child button")))
	b.await(t, `document.querySelector("#explain th:last-child").getAttribute("aria-sort") === "descending"`)
}

// checkRedraw checks that the next report closes nothing, and takes neither the
// keyboard nor the place on the page.
func checkRedraw(t *testing.T, b *browser) {
	b.do(t, chromedp.Click(chromedp.CSS("#findings summary")))
	b.await(t, `document.querySelector("#findings details").open`)
	b.do(t, chromedp.Focus(chromedp.CSS("#explain th:last-child button")))
	evaluate[chromedp.Void](t, b, `(() => {
		scrollTo({ top: 1000, behavior: "instant" });
		window.before = { opened: document.querySelector("#findings details[open]"), focused: document.activeElement, top: scrollY, drawn: 0 };
		new MutationObserver(() => before.drawn++).observe(document.getElementById("series"), { subtree: true, childList: true, attributes: true, characterData: true });
		return {};
	})()`)
	b.await(t, "before.drawn > 0")
	assert.True(t, evaluate[bool](t, b, "before.opened.isConnected && before.opened.open"), "what was opened is open")
	assert.True(t, evaluate[bool](t, b, "document.activeElement === before.focused"), "the keyboard is where it was")
	assert.InDelta(t, evaluate[int](t, b, "before.top"), evaluate[int](t, b, "scrollY"), 2)
}

const background = "getComputedStyle(document.body).backgroundColor"

func checkTheme(t *testing.T, b *browser, address string) {
	b.do(t, chromedp.Navigate(address))
	before := evaluate[string](t, b, background)
	b.do(t, chromedp.Click(chromedp.CSS("#theme")))
	b.await(t, fmt.Sprintf("%s !== %q", background, before))
	after := evaluate[string](t, b, background)
	assert.Equal(t, "true", evaluate[string](t, b, `document.getElementById("theme").getAttribute("aria-pressed")`))
	b.do(t, chromedp.Reload())
	assert.Equal(t, after, evaluate[string](t, b, background), "the theme is remembered")
	b.do(t, chromedp.Click(chromedp.CSS("#theme")))
	b.await(t, fmt.Sprintf("%s === %q", background, before))
}

func checkKeyboard(t *testing.T, b *browser, address string) {
	b.do(t, chromedp.Navigate(address))
	b.await(t, `document.querySelectorAll("#explain tbody tr").length > 20`)
	before := evaluate[string](t, b, background)
	b.do(t, chromedp.KeyEvent(kb.Tab))
	assert.Equal(t, "Skip to content", b.focused(t), "first")
	reach := func(id string) {
		for range 500 {
			if b.focused(t) == id {
				return
			}
			b.do(t, chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("no number of tabs leads to %s", id)
	}
	reach("theme")
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.await(t, fmt.Sprintf("%s !== %q", background, before))
	assert.NotEqual(t, "none", evaluate[string](t, b, "getComputedStyle(document.activeElement).outlineStyle"), "focus is seen")
	b.do(t, chromedp.KeyEvent(kb.Enter))
	reach("filter")
	b.do(t, chromedp.KeyEvent("hostile"))
	b.await(t, `document.getElementById("filtered").value.startsWith("4 of ")`)
}

// checkPhone checks that nothing is wider than a phone, at any place of the page.
func checkPhone(t *testing.T, b *browser) {
	b.do(t, chromedp.EmulateViewport(phone.width, phone.height, chromedp.EmulateMobile))
	checkFits(t, b, phone)
}

// checkFits checks that nothing is wider than what is seen.
func checkFits(t *testing.T, b *browser, size viewport) {
	t.Helper()
	assert.LessOrEqual(t, evaluate[int64](t, b, "document.documentElement.scrollWidth"), size.width)
	assert.Empty(t, evaluate[[]string](t, b, `[...document.querySelectorAll("main *")].filter((e) =>
		e.checkVisibility() && !e.closest(".scroll, pre") && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 100))`), "elements that stick out")
}

// pictureDirectory is where pictures go that the README shows.
const pictureDirectory = "TC_SCREENSHOTS"

func takePictures(t *testing.T, b *browser, address string) {
	dir := os.Getenv(pictureDirectory)
	if dir == "" {
		dir = t.TempDir()
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, p := range []struct {
		file, hash string
		dark       bool
		size       viewport
	}{
		{"page.png", "", false, desktop},
		{"page-dark.png", "#traces", true, viewport{desktop.width, 1300}},
		{"page-phone.png", "", false, phone},
	} {
		b.do(t, chromedp.EmulateViewport(p.size.width, p.size.height), chromedp.Navigate(address+p.hash), chromedp.Reload())
		b.await(t, `document.querySelectorAll("#services tbody tr").length > 0`)
		evaluate[chromedp.Void](t, b, fmt.Sprintf(`(() => {
			if ((document.getElementById("theme").getAttribute("aria-pressed") === "true") !== %t) document.getElementById("theme").click();
			const section = document.querySelector(location.hash || "#overview");
			scrollTo({ top: location.hash ? section.getBoundingClientRect().top + scrollY - document.querySelector("header").offsetHeight - 16 : 0, behavior: "instant" });
			return {};
		})()`, p.dark))
		b.await(t, `document.getAnimations().every((a) => a.playState !== "running")`)
		b.picture(t, filepath.Join(dir, p.file))
	}
	evaluate[chromedp.Void](t, b, `(localStorage.clear(), {})`)
}
