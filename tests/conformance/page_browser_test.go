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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
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
	for _, script := range scripts(t, "systems.txt") {
		hostile(script.name, func(t *testing.T) {
			b.do(t, chromedp.EmulateViewport(desktop.width, desktop.height))
			script.play(t, b, address)
		})
	}
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
	for _, name := range hostileNames {
		collectortest.PostMetrics(t, d.Collector, payload.Gauge(hostileNames[0], name))
	}
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
