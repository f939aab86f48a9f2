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
	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// small is the narrowest phone.
var small = viewport{320, 640}

// The page answers its questions with a report as large as reports get, and with hostile names everywhere.
func TestExplorerInBrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	s := newStage(t, bigReport(t))
	for _, script := range scripts(t, "explorer.txt") {
		t.Run(script.name, func(t *testing.T) { script.play(t, b, s.address) })
	}
	for name, check := range map[string]func(*testing.T, *browser, *stage){
		"links by template":                 checkTemplates,
		"hostile names stay text":           checkHostileReport,
		"everybody can use it":              checkAccessible,
		"moves nothing for those who asked": checkMotion,
		"a thousand findings on a phone":    checkManyFindings,
		"without the cardinality processor": checkWithoutExplorer,
	} {
		t.Run(name, func(t *testing.T) {
			b.do(t, chromedp.EmulateViewport(desktop.width, desktop.height))
			check(t, b, s)
		})
	}
	assert.Empty(t, b.console(), "what the browser complained of")
	assert.Equal(t, []string{s.host}, b.hostsAsked())
}

// open loads the page anew.
func (s *stage) open(t *testing.T, b *browser, hash string) {
	t.Helper()
	b.open(t, s.address+hash)
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

func checkManyFindings(t *testing.T, b *browser, s *stage) {
	b.do(t, chromedp.EmulateViewport(small.width, small.height, chromedp.EmulateMobile))
	s.open(t, b, "#findings")
	assert.LessOrEqual(t, evaluate[int](t, b, `document.querySelectorAll("#findings li").length`), 50, "few are shown")
	checkFits(t, b, small)

	b.do(t, chromedp.Click(chromedp.CSS("#findings .level > button")))
	b.await(t, `document.querySelectorAll("#findings li").length > 100`)
	evaluate[chromedp.Void](t, b, `(document.querySelectorAll("#findings details").forEach((e, i) => { if (i < 200) e.open = true; }), {})`)
	b.do(t, chromedp.Click(chromedp.CSS("#series details.cost > summary")))
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
