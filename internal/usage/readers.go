// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Reader is a text that reads metrics, and where it is.
type Reader struct {
	Kind  string `json:"kind"`
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"`
	Title string `json:"title,omitempty"`
	Query string `json:"query"`
	// Times is how often a query log has the query.
	Times int `json:"times,omitempty"`

	// Record is the recording rule that has the result, or empty.
	Record string `json:"-"`
}

// The kinds of readers.
const (
	Panel      = "panel"
	Alert      = "alert"
	Rule       = "rule"
	Variable   = "variable"
	Autoscaler = "autoscaler"
	Logged     = "query log"
	Text       = "text"
)

// Undecided is a text that is known in part. What it may read is needed.
type Undecided struct {
	*Reader
	Reason string `json:"reason"`
}

// use is what a reader does with the series of one selector.
type use struct {
	*Reader
	query    *promql.Query
	selector *promql.Selector
	set      map[string]bool // labels that the rule sets
	exists   bool            // only which series there are matters
	label    string          // whose values are asked for
}

// touch is what an undecided reader may read.
type touch struct {
	names func(name string) bool
	label string // all labels if it is empty
	// text reports whether it is no query: it is listed only if it names a metric.
	text bool
	Undecided
}

// Readings are all uses of metrics, and what may use them.
type Readings struct {
	uses    map[string][]*use // by the name of the samples
	touches []*touch
	readers []*Reader       // those with a query
	rules   map[string]bool // the queries of all rules, as Prometheus prints them
	records map[string]bool // the names of recording rules
	library map[string]bool // the library panels that files have, by uid
	numbers map[string]bool // the file's variables that are numbers
	seen    map[Reader]bool // of the file
	// faults are why files, and documents in files, cannot be read.
	faults []error
	parsed map[string]*promql.Query // dashboards repeat queries
}

// NewReadings returns none.
func NewReadings() *Readings {
	return &Readings{uses: map[string][]*use{}, rules: map[string]bool{}, records: map[string]bool{}, library: map[string]bool{}, parsed: map[string]*promql.Query{}}
}

// Add adds the readers of a file.
func (r *Readings) Add(source *places.Source) {
	r.numbers, r.seen = source.Numbers, map[Reader]bool{}
	for _, fault := range source.Faults {
		r.CannotRead(&Reader{File: source.Name, Line: fault.Node.Line(), Title: fault.Path}, fault.Err)
	}
	if source.Fault != nil {
		r.CannotRead(&Reader{File: source.Name}, source.Fault)
	}
	for _, place := range source.Places {
		r.place(source.Name, place)
	}
}

// Readers returns those with a query.
func (r *Readings) Readers() []*Reader { return r.readers }

// Faults returns why files, and documents in files, cannot be read.
func (r *Readings) Faults() []error { return r.faults }

// Reads reports whether a query has the name of samples.
func (r *Readings) Reads(name string) bool { return len(r.uses[name]) > 0 }

// Names returns the names of samples that queries have and no rule records.
func (r *Readings) Names() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(r.uses)) {
		if !r.records[name] {
			all = append(all, name)
		}
	}
	return all
}

// place adds the reader of a place.
func (r *Readings) place(file string, place *places.Place) {
	reader := &Reader{Kind: kindOf(place), File: file, Line: place.Node.Line(), Title: cmp.Or(place.Title, place.Path), Query: place.Node.Text, Record: place.Record}
	if known := (Reader{Kind: reader.Kind, File: file, Title: reader.Title, Query: reader.Query}); r.seen[known] {
		return // a variable has its query twice
	} else {
		r.seen[known] = true
	}
	switch place.Kind {
	case places.Query:
		r.query(reader, place)
	case places.Variable:
		r.variable(reader)
	case places.Series:
		r.series(reader, place)
	case places.MetricName:
		name := regexp.MustCompile(`^` + regexp.QuoteMeta(strings.TrimSuffix(reader.Query, "_per_second")) + `(_total)?$`)
		r.cannot(reader, name.MatchString, "", "an autoscaler selects by labels of objects")
	case places.AnyLabel:
		r.cannot(reader, everything, reader.Query, "it has no name of a metric")
	case places.Library:
		r.cannot(reader, func(string) bool { return !r.library[reader.Query] }, "", "no file has the library panel")
		r.touches[len(r.touches)-1].text = true
	case places.LibraryPanel:
		r.library[reader.Query] = true
	case places.Mention:
		r.mention(reader, "it is no query, and names a metric")
		r.touches[len(r.touches)-1].text = true
	}
}

// kindOf returns the kind of a place's reader.
func kindOf(place *places.Place) string {
	switch {
	case place.Record != "":
		return Rule
	case place.Labels != nil:
		return Alert
	case place.Kind == places.Variable || place.Kind == places.AnyLabel || place.Label != "":
		return Variable
	case place.Kind == places.Series || place.Kind == places.MetricName || strings.Contains(place.Path, "spec.triggers"):
		return Autoscaler
	case place.Kind == places.Mention:
		return Text
	}
	return Panel
}

// CannotRead adds a file, or a document in one, that cannot be read.
func (r *Readings) CannotRead(reader *Reader, err error) {
	reader.Kind = Text
	r.faults = append(r.faults, fmt.Errorf("%s: %w", reader.Place(), err))
	r.cannot(reader, nothing, "", "it cannot be read: "+err.Error())
}

// everything and nothing are names that are touched.
func everything(string) bool { return true }
func nothing(string) bool    { return false }

// cannot adds what an undecided reader may read.
func (r *Readings) cannot(reader *Reader, names func(string) bool, label, reason string) {
	r.touches = append(r.touches, &touch{names: names, label: label, Undecided: Undecided{reader, reason}})
}

// word matches what can be the name of a metric, and in quotes.
var word, quoted = regexp.MustCompile(`[A-Za-z_:][\w:]*`), regexp.MustCompile(`[\w:./-]+`)

// mention makes all that a text may name needed.
func (r *Readings) mention(reader *Reader, reason string) {
	named := map[string]bool{}
	for _, name := range append(word.FindAllString(reader.Query, -1), quoted.FindAllString(reader.Query, -1)...) {
		named[name] = true
	}
	r.cannot(reader, func(name string) bool { return named[name] }, "", reason)
}

// unparsed makes all needed that a query names which is not understood. A variable in it can be anything.
func (r *Readings) unparsed(reader *Reader, err error) {
	reason := fmt.Sprintf("it is no PromQL: %v", err)
	if promql.HasLooseVariable(reader.Query) {
		r.cannot(reader, everything, "", reason)
		return
	}
	r.mention(reader, reason)
}

// Parse reads a query, or returns what it was read as before.
func (r *Readings) Parse(query string) (*promql.Query, error) {
	if known := r.parsed[query]; known != nil {
		return known, nil
	}
	read, err := promql.Parse(query)
	if err == nil {
		r.parsed[query] = read
	}
	return read, err
}

// read adds a reader, and reads its query or the part that selects series. It returns nil if that is no PromQL.
// A variable in it can need a label, or all if that is empty.
func (r *Readings) read(reader *Reader, query, label string) *promql.Query {
	r.readers = append(r.readers, reader)
	read, err := r.Parse(query)
	if err != nil {
		r.unparsed(reader, err)
		return nil
	}
	for _, name := range read.Operands() {
		if !r.numbers[name] {
			r.cannot(reader, everything, label, "a variable can be a metric or an expression")
		}
	}
	return read
}

// query adds a reader whose text is PromQL.
func (r *Readings) query(reader *Reader, place *places.Place) {
	read := r.read(reader, reader.Query, "")
	if read == nil {
		return
	}
	u := use{Reader: reader, query: read}
	if reader.Record != "" {
		r.records[reader.Record] = true
	}
	if place != nil && place.Labels != nil {
		u.set = place.Labels
		r.rules[read.Expr.String()] = true
	}
	r.selectors(u)
}

// selectors adds the uses of all selectors of a query.
func (r *Readings) selectors(u use) {
	for _, s := range u.query.Selectors {
		one := u
		one.selector = s
		if s.Name != "" && !s.NameWord.Variable {
			r.uses[s.Name] = append(r.uses[s.Name], &one)
			continue
		}
		r.pattern(&one)
	}
}

// pattern adds what a selector without a name may read.
func (r *Readings) pattern(u *use) {
	matcher, ok := u.selector.Matcher("__name__")
	switch {
	case u.selector.NameWord.Variable:
		r.cannot(u.Reader, u.selector.NameWord.Form().MatchString, "", "the name of a metric has a variable")
	case ok && !matcher.Text.Variable && !matcher.Operator.Variable:
		r.cannot(u.Reader, matcher.Matches, "", "a selector has a pattern in place of a name")
	default:
		r.cannot(u.Reader, everything, "", "a selector has no name")
	}
}

// variable adds the query of a template variable of Grafana.
func (r *Readings) variable(reader *Reader) {
	text := reader.Query
	if found := places.LabelsOnly.FindStringSubmatch(text); found != nil {
		r.cannot(reader, everything, found[1], "it has no name of a metric")
		return
	}
	if found := places.LabelValues.FindStringSubmatch(text); found != nil {
		r.asked(reader, found[1], found[2])
		return
	}
	if places.MetricsQuery.MatchString(text) {
		return // all names stay
	}
	if found := places.QueryResult.FindStringSubmatch(text); found != nil {
		reader.Query = found[1]
	}
	r.query(reader, nil)
}

// asked adds a reader of the values of a label, or of whether there are series.
func (r *Readings) asked(reader *Reader, series, label string) {
	read := r.read(reader, series, label)
	if read == nil {
		return
	}
	for _, s := range read.Selectors {
		matcher, ok := s.Matcher("__name__")
		if s.Name != "" || label == "" || ok && matcher.Text.Variable {
			continue
		}
		names, reason := everything, "a selector has no name"
		if ok {
			names, reason = matcher.Matches, "a selector has a pattern in place of a name"
		}
		r.cannot(reader, names, label, reason)
		for _, m := range s.Matchers {
			name := m.Label.Value
			if m.Label.Variable {
				name = ""
			}
			r.cannot(reader, names, name, reason)
		}
		return
	}
	r.selectors(use{Reader: reader, query: read, exists: true, label: label})
}

// series adds a selector of series: of a variable, or of prometheus-adapter, which selects by labels of objects.
func (r *Readings) series(reader *Reader, place *places.Place) {
	if place.Label != "" {
		r.asked(reader, reader.Query, place.Label)
		return
	}
	read := r.read(reader, reader.Query, "")
	if read == nil {
		return
	}
	for _, s := range read.Selectors {
		if s.Name != "" && !s.NameWord.Variable {
			r.cannot(reader, func(name string) bool { return name == s.Name }, "", "prometheus-adapter selects by labels of objects")
			continue
		}
		r.pattern(&use{Reader: reader, query: read, selector: s})
	}
}

// maxLine is the longest line of a query log, in bytes.
const maxLine = 4 << 20

// Log adds the queries of Prometheus' query log. Those of rules in the files are known: who reads their results
// decides.
func (r *Readings) Log(name string, from io.Reader) error {
	r.numbers = nil
	known := map[string]*Reader{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for number := 1; lines.Scan(); number++ {
		var line struct {
			Params struct {
				Query string `json:"query"`
			} `json:"params"`
			RuleGroup json.RawMessage `json:"ruleGroup"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Params.Query == "" {
			if strings.TrimSpace(lines.Text()) == "" {
				continue
			}
			return fmt.Errorf("line %d: must be a line of Prometheus' query log, which has params.query (got %.80q)", number, lines.Text())
		}
		query := line.Params.Query
		if reader, ok := known[query]; ok {
			reader.Times++
			continue
		}
		if read, err := r.Parse(query); err == nil && line.RuleGroup != nil && r.rules[read.Expr.String()] {
			continue
		}
		known[query] = &Reader{Kind: Logged, File: name, Line: number, Query: query, Times: 1}
		r.query(known[query], nil)
	}
	return lines.Err()
}
