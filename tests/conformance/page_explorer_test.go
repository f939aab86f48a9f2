// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// small is the narrowest phone.
var small = viewport{320, 640}

// The page answers its questions with a report as large as reports get, and with hostile names everywhere.
func TestExplorerInBrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	s := newStage(t, bigReport(t))
	for _, test := range []struct {
		name  string
		check func(*testing.T, *browser, *stage)
	}{
		{"shows what series cost", checkCosts},
		{"which attribute blew up our bill, and what do I paste", askForBill},
		{"why has this log no trace", askForLog},
		{"why is this span called so", askForSpan},
		{"metrics by keyboard", checkCostKeyboard},
		{"filters of findings", checkFindingFilter},
		{"filters of the explorer", checkExplorerFilter},
		{"pages of services", checkServicePage},
		{"links by template", checkTemplates},
		{"hostile names stay text", checkHostileReport},
		{"everybody can use it", checkAccessible},
		{"moves nothing for those who asked", checkMotion},
		{"a thousand findings on a phone", checkManyFindings},
		{"without the cardinality processor", checkWithoutExplorer},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.do(t, chromedp.EmulateViewport(desktop.width, desktop.height))
			test.check(t, b, s)
		})
	}
	assert.Empty(t, b.console(), "what the browser complained of")
	assert.Equal(t, []string{s.host}, b.hostsAsked())
}

// open loads the page anew.
func (s *stage) open(t *testing.T, b *browser, hash string) {
	t.Helper()
	b.do(t, chromedp.Navigate(s.address+hash), chromedp.Reload())
	b.await(t, `document.getElementById("status").dataset.state === "live"`)
	evaluate[chromedp.Void](t, b, `(window.copied = [], navigator.clipboard.writeText = async (text) => { copied.push(text); }, {})`)
}

// clicks counts what a person needs to click.
type clicks struct{ n int }

// click clicks the first element that a person sees of those that a selector finds.
func (c *clicks) click(t *testing.T, b *browser, selector string) {
	t.Helper()
	c.n++
	b.do(t, chromedp.Click(chromedp.CSS(selector)))
}

const (
	firstCost = "#series details.cost"
	hash      = "location.hash"
)

func checkCosts(t *testing.T, b *browser, s *stage) {
	s.open(t, b, "")
	tiles := strings.Join(b.texts(t, "#series .saved .tile"), "\n")
	for _, want := range []string{"3,999", "1.23 million", "4.5 GB", "12.35 EUR"} {
		assert.Contains(t, tiles, want)
	}
	answer := b.texts(t, "#series .answer p")
	require.Len(t, answer, 1)
	assert.Contains(t, answer[0], "session.id")
	assert.Contains(t, answer[0], "2,001 → 12 series")

	first := b.texts(t, firstCost)[0]
	for _, want := range []string{"http_requests", "session.id makes most of the series; 12 without it", "6,000", "2,001", "600 → 201 points/s", "60 kB → 20.1 kB/s", "3,999 merged by limit"} {
		assert.Contains(t, first, want)
	}
	assert.Equal(t, "Series at the last 3 reports: came from 10 to 6,000, sent from 10 to 2,001",
		evaluate[string](t, b, `document.querySelector("#series .trend title").textContent`))
	widths := evaluate[[]float64](t, b, fmt.Sprintf(`[...document.querySelector(%q).querySelectorAll(".flow .fill")].map((e) => parseFloat(e.style.width))`, firstCost))
	require.Len(t, widths, 2)
	assert.InDelta(t, 100, widths[0], 0.1)
	assert.InDelta(t, 33.35, widths[1], 0.1)
	// What is removed already needs no fix.
	second := strings.Join(b.texts(t, firstCost), "\n")
	assert.Contains(t, second, "user.id made most of the series; removed by a pack, 9 left")
	assert.Contains(t, second, "not followed: there is no room")
	assert.Contains(t, strings.Join(b.texts(t, "#series .more"), "\n"), "17 metrics")
}

func askForBill(t *testing.T, b *browser, s *stage) {
	s.open(t, b, "")
	var c clicks
	c.click(t, b, `nav a[href="#series"]`)
	c.click(t, b, firstCost+" > summary")
	b.await(t, `document.querySelectorAll("#series .fix pre").length === 2`)
	c.click(t, b, "#series .fix .copy")
	b.await(t, "copied.length === 1")
	assert.LessOrEqual(t, c.n, 3)
	assert.Equal(t, dropSession, evaluate[string](t, b, "copied[0]"))
	assert.Equal(t, []string{"2,001 → 12 series", "2,001 → 600 series"}, b.texts(t, "#series .fix .paste .prediction"))
	attributes := b.texts(t, `#series table[aria-label="Attributes of http_requests"] tbody tr`)
	require.Len(t, attributes, 2)
	assert.Contains(t, attributes[0], "s-1")
	assert.Contains(t, attributes[0], "≈ 6,000")

	// The address leads there.
	assert.Equal(t, "#metric=checkout/http_requests", evaluate[string](t, b, hash))
	s.open(t, b, "#metric=cart/nothing")
	assert.Contains(t, b.texts(t, "#series .body > .note"), "nothing of cart is not in the report: no point of it came lately, or there was no room for it.")
	s.open(t, b, "#metric=cart/items")
	b.await(t, `document.querySelector("#series details.cost[open] .name").textContent === "items"`)
	assert.Contains(t, b.texts(t, "#series .cost .more")[0], "what made the series is removed")
	assert.Less(t, evaluate[float64](t, b, `document.querySelector("#series details.cost[open]").getBoundingClientRect().top`), float64(desktop.height))
	evaluate[chromedp.Void](t, b, `(document.querySelector("#series .answer .copy").click(), {})`)
	b.await(t, "copied.length === 1")
	assert.Equal(t, dropSession, evaluate[string](t, b, "copied[0]"))
}

func askForLog(t *testing.T, b *browser, s *stage) {
	s.open(t, b, "")
	var c clicks
	c.click(t, b, `nav a[href="#logs"]`)
	c.click(t, b, `#logs input`)
	b.do(t, chromedp.KeyEvent("checkout.log"))
	b.await(t, `document.querySelectorAll("#logs tbody tr").length === 1`)
	assert.LessOrEqual(t, c.n, 3)
	why := b.texts(t, "#logs tbody tr")[0]
	for _, want := range []string{"90 records without a trace", "30 with the ids in attributes only", "log_correlation", "20 lines in no known format", "[9] a: a", "40 without any id", "Write the trace id into each line"} {
		assert.Contains(t, why, want)
	}
	s.open(t, b, "#logs?service=silent")
	b.await(t, `document.querySelectorAll("#logs tbody tr").length === 1`)
	assert.Contains(t, b.texts(t, "#logs tbody tr")[0], "no span of silent came")
	s.open(t, b, "#logs?q=app")
	b.await(t, `document.querySelectorAll("#logs tbody tr").length === 1`)
	assert.Contains(t, b.texts(t, "#logs tbody tr")[0], "All have a trace.")
}

func askForSpan(t *testing.T, b *browser, s *stage) {
	s.open(t, b, "")
	var c clicks
	c.click(t, b, `nav a[href="#explain"]`)
	c.click(t, b, `#filter`)
	b.do(t, chromedp.KeyEvent("shop/get"))
	b.await(t, `document.querySelectorAll("#explain tbody tr").length === 1`)
	assert.LessOrEqual(t, c.n, 3)
	row := b.texts(t, "#explain tbody tr")[0]
	for _, want := range []string{"GET /orders/4711", "shop/get", "span_ids", "an earlier component made the name conformant", "pack tuft"} {
		assert.Contains(t, row, want)
	}
	s.open(t, b, "#explain?q=doCheckout")
	b.await(t, `document.querySelectorAll("#explain tbody tr").length === 1`)
	c.click(t, b, "#explain .copy")
	b.await(t, "copied.length === 1")
	assert.Equal(t, "spans:\n  rules: []\n", evaluate[string](t, b, "copied[0]"))
	assert.Contains(t, b.texts(t, "#explain tbody tr")[0], "no pack owns it")
}

func checkCostKeyboard(t *testing.T, b *browser, s *stage) {
	s.open(t, b, "#series")
	b.do(t, chromedp.Focus(chromedp.CSS(firstCost+" > summary")), chromedp.KeyEvent(kb.Enter))
	b.await(t, fmt.Sprintf(`document.querySelector(%q).open && document.querySelectorAll("#series .fix").length === 1`, firstCost))
	assert.True(t, evaluate[bool](t, b, fmt.Sprintf(`document.activeElement === document.querySelector(%q).firstChild`, firstCost)), "the keyboard stays")
	for range 3 {
		b.do(t, chromedp.KeyEvent(kb.Tab))
		if b.focused(t) == "Copy YAML" {
			break
		}
	}
	assert.Equal(t, "Copy YAML", b.focused(t))
	assert.NotEqual(t, "none", evaluate[string](t, b, "getComputedStyle(document.activeElement).outlineStyle"), "focus is seen")
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.await(t, "copied.length === 1")
	b.do(t, chromedp.Focus(chromedp.CSS(firstCost+" > summary")), chromedp.KeyEvent(kb.Enter))
	b.await(t, fmt.Sprintf(`!document.querySelector(%q).open && document.querySelectorAll("#series .fix").length === 0`, firstCost))
}

// choose sets a control as a person does.
func choose(t *testing.T, b *browser, selector, value string) {
	t.Helper()
	evaluate[chromedp.Void](t, b, fmt.Sprintf(`(() => {
		const control = document.querySelector(%q);
		control.value = %q;
		control.dispatchEvent(new Event("input", { bubbles: true }));
		return {};
	})()`, selector, value))
}

func checkFindingFilter(t *testing.T, b *browser, s *stage) {
	const found = `document.querySelector("#findings output").value`
	s.open(t, b, "")
	all := evaluate[string](t, b, found)
	assert.Equal(t, "999 of 999", all)
	choose(t, b, "#findings [name=service]", "service-007")
	choose(t, b, "#findings [name=rule]", "rule_7")
	assert.Equal(t, "#findings?service=service-007&rule=rule_7", evaluate[string](t, b, hash))
	some := evaluate[string](t, b, found)
	assert.NotEqual(t, all, some)
	assert.NotEqual(t, "0 of 999", some)
	for _, row := range b.texts(t, "#findings summary") {
		assert.Contains(t, row, "service-007")
		assert.Contains(t, row, "rule_7")
	}

	// The link can be sent, and the button back takes back.
	link := evaluate[string](t, b, hash)
	b.do(t, chromedp.NavigateBack())
	b.await(t, hash+` === "#findings?service=service-007"`)
	b.do(t, chromedp.NavigateBack())
	b.await(t, fmt.Sprintf("%s === %q", found, all))
	s.open(t, b, link)
	b.await(t, fmt.Sprintf("%s === %q", found, some))
	assert.Equal(t, "rule_7", evaluate[string](t, b, `document.querySelector("#findings [name=rule]").value`))
	assert.InDelta(t, 0, evaluate[float64](t, b, `document.getElementById("findings").getBoundingClientRect().top`), float64(desktop.height)/2, "it is seen")

	choose(t, b, "#findings [name=q]", "no such finding")
	assert.Equal(t, "0 of 999", evaluate[string](t, b, found))
	assert.NotEmpty(t, b.texts(t, "#findings .empty"))
	b.do(t, chromedp.Click(chromedp.CSS("#findings [type=reset]")))
	b.await(t, fmt.Sprintf("%s === %q", found, all))
	for by, headings := range map[string]int{"rule": 12, "service": 12, "name": 12, "": 3} {
		choose(t, b, "#findings [name=group]", by)
		b.await(t, fmt.Sprintf(`document.querySelectorAll("#findings h3").length === %d`, headings))
	}
	s.open(t, b, "#findings?group=rule&level=violation")
	for _, row := range b.texts(t, "#findings summary") {
		assert.Contains(t, row, "violation")
	}
}

func checkExplorerFilter(t *testing.T, b *browser, s *stage) {
	const found = `document.querySelector("#series output").value`
	s.open(t, b, "#series?rule=attribute")
	b.await(t, found+` === "1 of 206"`)
	s.open(t, b, "#series?q=session.id")
	b.await(t, found+` === "1 of 206"`)
	s.open(t, b, "#series?group=none")
	assert.Len(t, b.texts(t, firstCost), 25)
	assert.Contains(t, b.texts(t, firstCost)[1], "cart")
	choose(t, b, "#series [name=service]", "service-007")
	assert.Equal(t, "4 of 206", evaluate[string](t, b, found))
	assert.Equal(t, "#series?group=none&service=service-007", evaluate[string](t, b, hash))
	choose(t, b, "#series [name=group]", "rule")
	b.await(t, `document.querySelector("#series .costs h3").innerText.startsWith("Not merged")`)
}

func checkServicePage(t *testing.T, b *browser, s *stage) {
	s.open(t, b, "")
	evaluate[chromedp.Void](t, b, `(scrollTo({ top: 500, behavior: "instant" }), {})`)
	evaluate[chromedp.Void](t, b, `([...document.querySelectorAll("#services a.to")].find((e) => e.innerText === "checkout").click(), {})`)
	b.await(t, `!document.getElementById("service").hidden`)
	assert.Equal(t, "#service/checkout", evaluate[string](t, b, hash))
	check := func(name string) {
		t.Helper()
		assert.Equal(t, name, evaluate[string](t, b, `document.getElementById("service-title").textContent`))
		assert.Equal(t, name+" – Conformance – otelcol-tc", evaluate[string](t, b, "document.title"))
		assert.Equal(t, "service-title", b.focused(t))
		assert.Equal(t, 1, evaluate[int](t, b, `[...document.querySelectorAll("main > section")].filter((e) => !e.hidden).length`))
	}
	check("checkout")
	assert.Equal(t, []string{"Scores", "Worth fixing", "Series", "Names before and after", "Logs with a trace", "Traces"}, b.texts(t, "#service h2"))
	page := evaluate[string](t, b, `document.getElementById("service").innerText`)
	for _, want := range []string{"90.0 %", "doCheckout", "http_requests", "session.id makes most", "GET /orders/4711", "checkout.log", "40 without any id"} {
		assert.Contains(t, page, want)
	}
	others := b.texts(t, "#service .name")
	assert.NotContains(t, others, "silent")
	assert.NotContains(t, others, "items")
	// What is opened there stays there.
	b.do(t, chromedp.Click(chromedp.CSS("#service details.cost > summary")))
	b.await(t, `document.querySelectorAll("#service .fix pre").length === 2`)
	assert.Equal(t, "#service/checkout", evaluate[string](t, b, hash))

	b.do(t, chromedp.NavigateBack())
	b.await(t, `document.getElementById("service").hidden`)
	assert.InDelta(t, 500, evaluate[float64](t, b, "scrollY"), 20, "the place on the page")
	assert.Equal(t, "Conformance – otelcol-tc", evaluate[string](t, b, "document.title"))

	s.open(t, b, "#service="+url.PathEscape(hostileNames[0]))
	b.await(t, `!document.getElementById("service").hidden`)
	check(hostileNames[0])
	s.open(t, b, "#service/nobody%")
	b.await(t, `document.querySelector("#service .empty") !== null`)
	check("nobody%")
	b.do(t, chromedp.Click(chromedp.CSS("#service .back a")))
	b.await(t, `document.getElementById("service").hidden`)
}

func checkTemplates(t *testing.T, b *browser, s *stage) {
	links := func(hash string) (all []string) {
		t.Helper()
		s.open(t, b, hash)
		evaluate[chromedp.Void](t, b, `(document.querySelectorAll("#findings details").forEach((e) => { e.open = true; }), {})`)
		for _, link := range evaluate[[]map[string]string](t, b, `[...document.querySelectorAll("a.backend")].map(({ href, rel, target }) => ({ href, rel, target }))`) {
			assert.Equal(t, "noreferrer", link["rel"])
			assert.Equal(t, "_blank", link["target"])
			all = append(all, link["href"])
		}
		return all
	}
	found := links("#metric=checkout/http_requests")
	assert.Contains(t, found, "https://tempo.example/trace/0af7651916cd43dd8448eb211c80319c")
	assert.Contains(t, found, "https://metrics.example/checkout/http_requests")
	assert.Contains(t, found, "https://loki.example/logs?query=checkout")
	assert.Contains(t, found, "https://tempo.example/trace/%3Cscript%3Ewindow.hostile%20%3D%201%3C%2Fscript%3E", "whatever is in a name is a part of the place that it has")

	report := *s.report.Load()
	defer s.report.Store(s.report.Load())
	for _, template := range []string{"javascript:alert('{trace_id}{service}{metric}')", "data:text/html,{trace_id}{service}{metric}", "//{", "no address {trace_id}", "https://tempo.example/", "https://{service}"} {
		hostile := report
		hostile.URLs = conformance.URLs{Trace: template, Logs: template, Metric: template}
		s.report.Store(&hostile)
		for _, link := range links("#metric=checkout/http_requests") {
			assert.Regexp(t, "^https://[a-z0-9%-]+/$", link, template)
		}
	}
}

func checkHostileReport(t *testing.T, b *browser, s *stage) {
	s.open(t, b, "#metric="+url.PathEscape(hostileNames[1])+"/"+url.PathEscape(hostileNames[1]))
	b.await(t, `document.querySelector("#series details.cost[open] .fix") !== null`)
	page := evaluate[string](t, b, "document.body.innerText")
	for _, name := range hostileShown {
		assert.Contains(t, page, name)
	}
	for _, name := range hostileNames {
		s.open(t, b, "#service/"+url.PathEscape(name))
		b.await(t, `document.querySelectorAll("#service section").length > 0`)
	}
	assert.True(t, evaluate[bool](t, b, "window.hostile === undefined"), "a name ran as a script")
	assert.Zero(t, evaluate[int](t, b, `document.querySelectorAll("main script, main img, main b").length`))
}

// checkAccessible looks for what axe-core finds, in both themes, on a desktop and on a phone.
func checkAccessible(t *testing.T, b *browser, s *stage) {
	for _, hash := range []string{"#metric=checkout/http_requests", "#findings?group=rule", "#service/checkout"} {
		for _, size := range []viewport{desktop, small} {
			b.do(t, chromedp.EmulateViewport(size.width, size.height))
			s.open(t, b, hash)
			evaluate[chromedp.Void](t, b, `(document.querySelectorAll("details:not(.cost)").forEach((e, i) => { if (i < 20) e.open = true; }), {})`)
			checkAxe(t, b, fmt.Sprintf("%s, %d wide", hash, size.width))
		}
	}
}

// checkMotion checks that nothing moves for people who asked for that.
func checkMotion(t *testing.T, b *browser, s *stage) {
	const moves = `getComputedStyle(document.documentElement).scrollBehavior + " " + getComputedStyle(document.querySelector("#series .fill")).transitionDuration`
	s.open(t, b, "")
	assert.Equal(t, "smooth 0.4s", evaluate[string](t, b, moves))
	reduce := func(value string) chromedp.Action[chromedp.Void] {
		return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			features := []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: value}}
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			return err
		})
	}
	b.do(t, reduce("reduce"))
	assert.Equal(t, "auto 0s", evaluate[string](t, b, moves))
	b.do(t, reduce(""))
}

// filterTook returns how many milliseconds the slowest of some searches takes until its findings are laid out.
// The machine is busy with other things, so the best of three counts. No test depends on it: what is drawn is
// bounded, and that is checked.
const filterTook = `(() => {
	const control = document.querySelector("#findings [name=q]");
	const search = (text) => {
		const begin = performance.now();
		control.value = text;
		control.dispatchEvent(new Event("input", { bubbles: true }));
		document.body.offsetHeight;
		return performance.now() - begin;
	};
	const texts = ["a", "metric", "rule_1", "violation", "metric own", ""];
	const best = texts.map(() => Infinity);
	for (let round = 0; round < 3; round++) texts.forEach((text, i) => { best[i] = Math.min(best[i], search(text)); });
	return Math.max(...best);
})()`

func checkManyFindings(t *testing.T, b *browser, s *stage) {
	b.do(t, chromedp.EmulateViewport(small.width, small.height, chromedp.EmulateMobile))
	s.open(t, b, "#findings")
	assert.LessOrEqual(t, evaluate[int](t, b, `document.querySelectorAll("#findings li").length`), 50, "few are shown")
	checkFits(t, b, small)
	took := evaluate[float64](t, b, filterTook)
	t.Logf("filtering %d findings took %.1f ms", manyFindings, took)

	b.do(t, chromedp.Click(chromedp.CSS("#findings .level > button")))
	b.await(t, `document.querySelectorAll("#findings li").length > 100`)
	evaluate[chromedp.Void](t, b, `(document.querySelectorAll("#findings details").forEach((e, i) => { if (i < 200) e.open = true; }), {})`)
	took = evaluate[float64](t, b, filterTook)
	t.Logf("with hundreds of them shown, %.1f ms", took)
	b.do(t, chromedp.Click(chromedp.CSS(firstCost+" > summary")))
	b.await(t, `document.querySelectorAll("#series .fix").length > 0`)
	checkFits(t, b, small)
	assert.Empty(t, evaluate[[]string](t, b, `[...document.querySelectorAll("button, select, input, summary, nav a, .exports a, .todo a")]
		.filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 40 && !e.closest("table"))
		.map((e) => e.outerHTML.slice(0, 80))`), "too small for a finger")
	s.open(t, b, "#service/checkout")
	checkFits(t, b, small)
	for _, group := range []string{"rule", "service", "name"} {
		s.open(t, b, "#findings?group="+group)
		assert.LessOrEqual(t, evaluate[int](t, b, `document.querySelectorAll("#findings li").length`), 100, group)
		checkFits(t, b, small)
	}
}

func checkWithoutExplorer(t *testing.T, b *browser, s *stage) {
	full := s.report.Load()
	defer s.report.Store(full)
	without := *full
	without.Explorer = conformance.Explorer{}
	s.report.Store(&without)
	s.open(t, b, "#series")
	assert.Contains(t, strings.Join(b.texts(t, "#series .body"), ""), "needs a cardinality processor and the conventions extension")
	shared := without
	shared.Explorer.Shared = true
	s.report.Store(&shared)
	s.open(t, b, "#series")
	assert.Contains(t, strings.Join(b.texts(t, "#series .body"), ""), "No metric came to the cardinality processor yet")
}
