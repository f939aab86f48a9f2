// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"index/suffixarray"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/otelcol"
	"go.yaml.in/yaml/v3"
)

// Values knows the values of variables and of included texts, and hides them in errors and findings. What a file of the
// command line has is no secret of its reader.
type Values struct {
	factories func() (otelcol.Factories, error)

	mutex     sync.Mutex
	given     string                        // the configurations of the command line, each between commas
	retrieved map[string]*confmap.Retrieved // by URI
	files     map[string]string             // the texts of files of the command line, by URI
	roots     map[string]*yaml.Node         // the settings of texts, by URI; nil if there are none
	hidden    *hiddenTexts                  // nil if something was retrieved since it was made
}

// NewValues returns a record without values. The names of components and of their settings stay visible.
func NewValues(factories func() (otelcol.Factories, error)) *Values {
	return &Values{factories: factories, retrieved: map[string]*confmap.Retrieved{}, files: map[string]string{}, roots: map[string]*yaml.Node{}}
}

// Wrap returns factories of the same providers that record what they retrieve.
func (v *Values) Wrap(factories []confmap.ProviderFactory) []confmap.ProviderFactory {
	wrapped := make([]confmap.ProviderFactory, len(factories))
	for i, factory := range factories {
		wrapped[i] = confmap.NewProviderFactory(func(set confmap.ProviderSettings) confmap.Provider {
			return recorder{factory.Create(set), v}
		})
	}
	return wrapped
}

type recorder struct {
	confmap.Provider
	values *Values
}

// Retrieve implements confmap.Provider.
func (r recorder) Retrieve(ctx context.Context, uri string, watch confmap.WatcherFunc) (*confmap.Retrieved, error) {
	v := r.values
	retrieved, err := v.readFile(uri)
	if retrieved == nil {
		retrieved, err = r.Provider.Retrieve(ctx, uri, watch)
	}
	if err != nil {
		return nil, err
	}
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.retrieved[uri], v.hidden = retrieved, nil
	if raw, _ := retrieved.AsRaw(); depth(raw) > maxDepth {
		return nil, errors.Join(fmt.Errorf("%s: must have at most %d levels of settings (got %d)", DisplayName(uri), maxDepth, depth(raw)),
			retrieved.Close(ctx))
	}
	return retrieved, nil
}

// maxDepth is the number of levels of settings that a text can have. The collector copies settings often, in a time that
// grows with the cube of the depth: 20 s for 1,000 levels.
const maxDepth = 100

// depth returns the number of levels of settings and lists in a value.
func depth(value any) (deepest int) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			deepest = max(deepest, depth(inner)+1+strings.Count(key, confmap.KeyDelimiter))
		}
	case []any:
		for _, inner := range value {
			deepest = max(deepest, depth(inner)+1)
		}
	}
	return deepest
}

// readFile reads a file of the command line. It returns nothing for what the provider has to read: also a file that was
// read before, because another text may include its text.
func (v *Values) readFile(uri string) (*confmap.Retrieved, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	path, isFile := strings.CutPrefix(uri, "file:")
	if _, again := v.files[uri]; again || !isFile || !v.isGiven(uri) {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, nil // the provider says why
	}
	v.files[uri], v.roots[uri] = string(text), rootOf(text)
	return settingsOf(text, v.roots[uri])
}

// Text returns the text that was retrieved from a URI, if any.
func (v *Values) Text(uri string) (string, bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if text, ok := v.files[uri]; ok {
		return text, true
	}
	retrieved, ok := v.retrieved[uri]
	if !ok {
		return "", false
	}
	text, err := retrieved.AsString()
	return text, err == nil
}

// Root returns the settings of the text that was retrieved from a URI, or nil if it has none.
func (v *Values) Root(uri string) *yaml.Node {
	text, _ := v.Text(uri)
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if _, known := v.roots[uri]; !known {
		v.roots[uri] = rootOf([]byte(text))
	}
	return v.roots[uri]
}

// URIs returns all that something was retrieved from, sorted.
func (v *Values) URIs() []string {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return slices.Sorted(maps.Keys(v.retrieved))
}

// Give records the configurations of the command line, whose texts stay visible.
func (v *Values) Give(configs ...string) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.given, v.hidden = ", "+strings.Join(configs, ", ")+", ", nil
}

// isGiven reports whether a URI is on the command line.
func (v *Values) isGiven(uri string) bool {
	return strings.Contains(v.given, ", "+uri+", ") || strings.Contains(v.given, ", "+strings.TrimPrefix(uri, "file:")+", ")
}

// HideErrors hides the values in the errors of a command that has the flag --config.
func (v *Values) HideErrors(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v.Give(strings.Trim(cmd.Flag("config").Value.String(), "[]")) // it joins them as Give does
		if err := run(cmd, args); err != nil {
			return errors.New(v.Hide(err.Error()))
		}
		return nil
	}
}

// Hide returns a text with a reference such as ${env:NAME} in place of each value.
func (v *Values) Hide(text string) string {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.hidden == nil {
		v.hidden = v.texts()
	}
	return v.hidden.replace(text)
}

// isPublic reports whether the text of a URI may be shown: that of the command line, but for values of variables, the
// default of a variable, and the texts of this distribution.
func (v *Values) isPublic(uri string, retrieved *confmap.Retrieved) bool {
	if _, byDefault, ok := strings.Cut(uri, ":-"); ok && strings.HasPrefix(uri, "env:") {
		text, err := retrieved.AsString()
		return err == nil && text == byDefault
	}
	return strings.HasPrefix(uri, "builtin:") || v.isGiven(uri) && !strings.HasPrefix(uri, "env:")
}

// texts returns what is hidden: the strings and the keys of what was retrieved, but no words that a file of the command
// line has, and no names of components and of settings.
func (v *Values) texts() *hiddenTexts {
	h := &hiddenTexts{given: v.given, public: map[string]bool{}}
	for _, name := range []string{"", "receivers", "processors", "exporters", "connectors", "extensions", "service", "pipelines", "telemetry", "traces", "metrics", "logs", "profiles"} {
		h.public[name] = true
	}
	if v.factories != nil {
		if factories, err := v.factories(); err == nil {
			h.showNames(factories)
		}
	}
	for uri, retrieved := range v.retrieved {
		raw, _ := retrieved.AsRaw()
		shown := v.isPublic(uri, retrieved)
		written := shown || strings.HasPrefix(uri, "yaml:") // a key in an argument or in a reference, as --set has it
		eachWord(raw, func(word string, isKey bool) {
			if shown || written && isKey {
				h.public[word] = true
			}
		})
	}
	for uri, retrieved := range v.retrieved {
		if v.isPublic(uri, retrieved) {
			continue
		}
		raw, _ := retrieved.AsRaw()
		eachWord(raw, func(word string, _ bool) { h.hide(word, uri) })
		switch raw.(type) {
		case map[string]any, []any, bool:
		default:
			text, _ := retrieved.AsString()
			h.hide(text, uri)
		}
	}
	h.index()
	return h
}

// eachWord calls use for each string, number and key in a value.
func eachWord(value any, use func(word string, isKey bool)) {
	switch value := value.(type) {
	case nil, bool:
	case map[string]any:
		for key, inner := range value {
			use(key, true)
			eachWord(inner, use)
		}
	case []any:
		for _, inner := range value {
			eachWord(inner, use)
		}
	default:
		use(fmt.Sprint(value), false)
	}
}

// hiddenTexts replaces texts.
type hiddenTexts struct {
	given  string          // the configurations of the command line
	public map[string]bool // words, types of components, and signals
	texts  []hiddenText    // by their start
	joined []byte          // each text after a zero byte
	array  *suffixarray.Index
}

// hiddenText is a text, and what is shown in its place.
type hiddenText struct {
	start  int // of the zero byte before it
	label  string
	isPath bool
}

const (
	// shortest is the length of a text that is hidden where it is a word of its own.
	shortest = 4
	// longestShort is the length of a text that is hidden only as a whole.
	longestShort = 9
	// inside is the length of a text that is hidden inside a word.
	inside = 6
)

// showNames keeps the names of components and of their settings visible.
func (h *hiddenTexts) showNames(factories otelcol.Factories) {
	showNamesOf(h, factories.Receivers)
	showNamesOf(h, factories.Processors)
	showNamesOf(h, factories.Exporters)
	showNamesOf(h, factories.Connectors)
	showNamesOf(h, factories.Extensions)
}

func showNamesOf[F component.Factory](h *hiddenTexts, factories map[component.Type]F) {
	for name, factory := range factories {
		h.public[name.String()] = true
		settings := confmap.New()
		if settings.Marshal(factory.CreateDefaultConfig()) == nil {
			for _, key := range settings.AllKeys() {
				for part := range strings.SplitSeq(key, confmap.KeyDelimiter) {
					h.public[part] = true
				}
			}
		}
	}
}

// isPublic reports whether a word may be shown. A component and a pipeline may have a name behind their type.
func (h *hiddenTexts) isPublic(word string) bool {
	kind, _, _ := strings.Cut(word, "/")
	return h.public[word] || kind != "" && h.public[kind]
}

// hide hides a text of a URI, as it is and as errors quote it. A reference stays: errors name it.
func (h *hiddenTexts) hide(text, uri string) {
	text = strings.TrimSpace(text)
	isReference := strings.HasPrefix(text, "${") && strings.HasSuffix(text, "}")
	if len(text) < shortest || isReference || h.isPublic(text) || isLocal(text) {
		return
	}
	label := "${" + DisplayName(uri) + "}"
	if strings.HasPrefix(uri, "file:") {
		label = "${" + uri + "}"
	}
	quoted := strconv.Quote(text)
	forms := []string{text, quoted[1 : len(quoted)-1], strings.Join(strings.Fields(text), " "), url.PathEscape(text), url.QueryEscape(text)}
	slices.Sort(forms)
	isPath := absolutePath.MatchString(text)
	for _, form := range slices.Compact(forms) {
		h.texts = append(h.texts, hiddenText{len(h.joined), label, isPath})
		h.joined = append(append(h.joined, 0), form...)
	}
}

// absolutePath matches paths. Their parts are ordinary words, so that they are hidden only as a whole.
var absolutePath = regexp.MustCompile(`^(/[\w.-]+)+/?$`)

// isLocal reports whether a text is an address at which this machine listens for itself or for everybody. Such addresses
// begin alike, so that hiding one would hide a part of another.
func isLocal(text string) bool {
	address, err := netip.ParseAddrPort(text)
	return err == nil && (address.Addr().IsLoopback() || address.Addr().IsUnspecified())
}

// index prepares the search for parts of the texts.
func (h *hiddenTexts) index() {
	h.array = suffixarray.New(append(h.joined, 0))
	for i, text := range h.texts { // the name of a variable can be the value of another one
		h.texts[i].label = h.nameless(text.label)
	}
}

// nameless returns a label, or one without a name if the label has a hidden text.
func (h *hiddenTexts) nameless(label string) string {
	if h.replace(label) != label {
		return "${…}"
	}
	return label
}

// quotedStart matches what the YAML parser and that of OTTL quote of a text. It can end in the middle of a value.
var quotedStart = regexp.MustCompile("near `([^`]{4,})`|`([^`]{4,}?)\\.\\.\\.`")

// replace replaces the hidden texts, and parts of longer ones, in a text.
func (h *hiddenTexts) replace(text string) string {
	if len(h.texts) == 0 {
		return text
	}
	text = quotedStart.ReplaceAllStringFunc(text, func(match string) string {
		groups := quotedStart.FindStringSubmatch(match)
		shown := groups[1] + groups[2]
		for i := 0; i <= len(shown)-shortest; i++ {
			part := shown[i:]
			if i > 0 {
				part = "\x00" + part // other values begin behind a part of the text
			}
			if label, ok := h.labelOf(part); ok {
				return match[:strings.IndexByte(match, '`')+1] + shown[:i] + label + "`"
			}
		}
		return match
	})
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		length, label := h.match(text, i)
		if length == 0 {
			continue
		}
		if found := text[i : i+length]; !h.isPublic(found) && !strings.Contains(h.given, found) {
			b.WriteString(text[done:i])
			b.WriteString(label)
			done = i + length
		}
		i += length - 1
	}
	return b.String() + text[done:]
}

// labelOf returns the label of a text that has this part. Paths must be the whole text between zero bytes.
func (h *hiddenTexts) labelOf(part string) (string, bool) {
	isWhole := strings.HasPrefix(part, "\x00") && strings.HasSuffix(part, "\x00")
	for _, found := range h.array.Lookup([]byte(part), -1) {
		i, exact := slices.BinarySearchFunc(h.texts, found, func(t hiddenText, start int) int { return cmp.Compare(t.start, start) })
		if !exact {
			i--
		}
		if isWhole || !h.texts[i].isPath {
			return h.texts[i].label, true
		}
	}
	return "", false
}

// match returns the length of the longest hidden text, or part of one, that begins at an index.
func (h *hiddenTexts) match(text string, index int) (length int, label string) {
	rest := text[index:]
	if rest[0] == ' ' {
		return 0, ""
	}
	for n := shortest; n <= len(rest); n++ {
		if len(h.array.Lookup([]byte(rest[:n]), 1)) == 0 {
			break
		}
		found, ok := "", false
		if n > longestShort {
			found, ok = h.labelOf(rest[:n])
		}
		if !ok {
			found, ok = h.labelOf("\x00" + rest[:n] + "\x00")
			ok = ok && (n >= inside || isWord(text, index, n))
		}
		if ok {
			length, label = n, found
		}
	}
	return length, label
}

// isWord reports whether a part of a text is between other characters than letters and digits.
func isWord(text string, start, length int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[start+length:])
	return !isLetter(before) && !isLetter(after)
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
