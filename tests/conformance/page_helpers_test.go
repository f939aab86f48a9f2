// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// browserPatience is for everything that a browser does on a busy machine.
const browserPatience = time.Minute

// pageTimes is conformance fast enough for a test, but as slow as span_link, which holds
// spans for up to 5 s, and as someone who looks at findings before they are forgotten.
const pageTimes = "yaml:connectors: {conformance: {interval: 5s, window: 8s}}"

// browser is a headless browser with one tab.
type browser struct {
	ctx     context.Context
	console func() []string // what the tab complained of until now

	mu    sync.Mutex
	hosts []string // that the tab asked for anything
}

// startBrowser runs a browser until the test ends.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(collectortest.Needs(t, "browser", ".tools/browser")),
		chromedp.UserDataDir(t.TempDir()),
		// Tests may run as root, and the pages are our own.
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-background-networking", true))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	b := &browser{ctx: ctx}
	// The first call starts the browser.
	b.do(t, chromedp.EmulateViewport(desktop.width, desktop.height))
	b.console = b.watchConsole()
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			b.asked(sent.Request.URL)
		}
	}))
	return b
}

// watchConsole gathers all that the tab writes into its console, refused content
// and exceptions included.
func (b *browser) watchConsole() func() []string {
	var mu sync.Mutex
	var all []string
	messages := chromedp.Console(b.ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, fmt.Sprintf("%s %s", message, message.URL))
			mu.Unlock()
		}
	}()
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func (b *browser) asked(address string) {
	parsed, err := url.Parse(address)
	if err != nil {
		parsed = &url.URL{Host: address}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.hosts, parsed.Host) {
		b.hosts = append(b.hosts, parsed.Host)
	}
}

func (b *browser) hostsAsked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.hosts)
}

func (b *browser) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, steps...))
}

// evaluate returns what an expression is in the page.
func evaluate[T any](t *testing.T, b *browser, expression string) T {
	t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return value
}

// await waits until an expression holds in the page.
func (b *browser) await(t *testing.T, expression string) {
	t.Helper()
	b.do(t, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Poll[bool](expression, chromedp.WithPollingInterval(100*time.Millisecond),
			chromedp.WithPollingTimeout(browserPatience))(ctx, target)
		if err != nil {
			err = fmt.Errorf("%s: %w", expression, err)
		}
		return chromedp.Void{}, err
	})
}

// texts are those of all elements that a selector finds.
func (b *browser) texts(t *testing.T, selector string) []string {
	t.Helper()
	return evaluate[[]string](t, b, fmt.Sprintf("[...document.querySelectorAll(%q)].map((e) => e.innerText)", selector))
}

// viewport is the size of what is seen of a page.
type viewport struct{ width, height int64 }

var (
	desktop = viewport{1200, 900}
	phone   = viewport{360, 740}
)

// picture is what is seen of the page, as a PNG.
func (b *browser) picture(t *testing.T, file string) {
	t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, png, 0o644))
	// They are in the repository.
	require.Less(t, len(png), 150*1024, file)
}

// focused describes the element that has the keyboard.
func (b *browser) focused(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(evaluate[string](t, b, "document.activeElement.id || document.activeElement.innerText"))
}

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
