// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script is what a person does on the page in a browser, and sees there. A file of testdata/page has several, each below
// a line with "# " and its name. A line is one of:
//
//	open [ADDRESS]             load the page, with this at the end of its address
//	reload, back
//	click SELECTOR             the first such element that a person sees
//	clicks N                   there were at most so many since the page was opened
//	focus SELECTOR
//	tab N NAME                 press Tab, at most so often, until the element with this id or text has the keyboard
//	press Tab, press Enter
//	type TEXT
//	run JAVASCRIPT             functions of library.js can be called
//	await EXPRESSION           wait until it holds
//	is EXPRESSION == JSON      it has this value
//	has EXPRESSION: TEXT | …   the text or texts that it gives have these in them
type script struct {
	name  string
	lines []string
}

// scripts returns those of a file.
func scripts(t *testing.T, file string) (all []script) {
	t.Helper()
	text, err := os.ReadFile("testdata/page/" + file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# "); ok {
			all = append(all, script{name: name})
		} else if line != "" && !strings.HasPrefix(line, "//") {
			all[len(all)-1].lines = append(all[len(all)-1].lines, line)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// play does what a script says with the page at an address.
func (s script) play(t *testing.T, b *browser, address string) {
	clicks := 0
	for _, line := range s.lines {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "open":
			clicks = 0
			b.open(t, address+rest)
		case "reload":
			b.do(t, chromedp.Reload())
			b.load(t)
		case "back":
			b.do(t, chromedp.NavigateBack())
		case "click":
			clicks++
			b.do(t, chromedp.Click(chromedp.CSS(rest)))
		case "clicks":
			most, err := strconv.Atoi(rest)
			require.NoError(t, err)
			assert.LessOrEqual(t, clicks, most)
		case "focus":
			b.do(t, chromedp.Focus(chromedp.CSS(rest)))
		case "tab":
			most, name, _ := strings.Cut(rest, " ")
			b.tab(t, name, most)
		case "press":
			b.do(t, chromedp.KeyEvent(map[string]string{"Tab": kb.Tab, "Enter": kb.Enter}[rest]))
		case "type":
			b.do(t, chromedp.KeyEvent(rest))
		case "run":
			evaluate[chromedp.Void](t, b, fmt.Sprintf("(() => { %s; return {}; })()", rest))
		case "await":
			b.await(t, rest)
		case "is":
			expression, want, _ := strings.Cut(rest, " == ")
			assert.JSONEq(t, want, string(evaluate[json.RawMessage](t, b, expression)), expression)
		case "has":
			expression, want, _ := strings.Cut(rest, ": ")
			got := evaluate[string](t, b, fmt.Sprintf("[%s].flat().join(\"\\n\")", expression))
			for text := range strings.SplitSeq(want, " | ") {
				assert.Contains(t, got, text, expression)
			}
		default:
			require.Fail(t, "no such step", line)
		}
	}
}

// open loads a page anew.
func (b *browser) open(t *testing.T, address string) {
	t.Helper()
	b.do(t, chromedp.Navigate(address), chromedp.Reload())
	b.load(t)
}

// load waits until the page has a report, and adds what scripts call.
func (b *browser) load(t *testing.T) {
	t.Helper()
	b.await(t, `document.getElementById("status").dataset.state === "live"`)
	library, err := os.ReadFile("testdata/page/library.js")
	require.NoError(t, err)
	evaluate[chromedp.Void](t, b, string(library)+"({});")
}

// tab presses Tab until an element has the keyboard.
func (b *browser) tab(t *testing.T, name, most string) {
	t.Helper()
	left, err := strconv.Atoi(most)
	require.NoError(t, err)
	for ; left > 0 && b.focused(t) != name; left-- {
		b.do(t, chromedp.KeyEvent(kb.Tab))
	}
	require.Equal(t, name, b.focused(t), "after %s tabs", most)
}
