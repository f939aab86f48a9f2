// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/layout"
)

// A layout parses the same pieces from a line from which the line was built.
func TestPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, description := range allDescriptions(t) {
		layouts, err := description.Layouts()
		require.NoError(t, err)
		for i, parts := range layouts {
			// These parts make other pieces of a text.
			if slices.ContainsFunc(parts, func(p layout.Part) bool {
				return p.Kind == layout.Rest || p.Kind == layout.Severity && p.Text == layout.Syslog || slices.Contains([]string{layout.Pairs, layout.Quoted}, p.Text)
			}) {
				continue
			}
			format := of(t, description.Lines[i])
			for range 200 {
				line, want := write(rng, parts)
				var e Entry
				require.True(t, format.match(line, &e), line)
				assert.Equal(t, want, pieces(&e), line)
			}
		}
	}
}

func allDescriptions(t *testing.T) []conventions.LogFormat {
	t.Helper()
	var general struct {
		Formats []conventions.LogFormat `yaml:"formats"`
	}
	require.NoError(t, yaml.Unmarshal(generalYAML, &general))
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	for _, pack := range packs {
		general.Formats = append(general.Formats, pack.Logs.Formats...)
	}
	return general.Formats
}

// write builds a line by a layout, and returns the expected entry.
func write(rng *rand.Rand, parts layout.Layout) (line string, want map[string]string) {
	var b strings.Builder
	want = map[string]string{}
	for i := 0; i < len(parts); i++ {
		part, value, key := parts[i], "", parts[i].Text
		switch part.Kind {
		case layout.Literal:
			b.WriteString(strings.ReplaceAll(part.Text, " ", strings.Repeat(" ", 1+rng.IntN(3))))
			continue
		case layout.Optional:
			if rng.IntN(2) == 0 {
				i += part.Optional
			}
			continue
		case layout.Time:
			var at Timestamp
			at, value = writeTime(rng, part.Text)
			want["time"] = fmt.Sprint(at)
			b.WriteString(value)
			continue
		case layout.Severity:
			key, value = "severity", randomOf(rng, "ABYZabyz", 1+rng.IntN(8))
			if part.Text == layout.Upper {
				value = []string{"DEBUG", "INFO", "WARNING", "CRITICAL"}[rng.IntN(4)]
			}
		case layout.Body:
			key, value = "body", randomOf(rng, "ab019-_{}()=\"'é世\x00\xff\t", 1+rng.IntN(30))
		case layout.Int:
			value = fmt.Sprint(rng.Int64N(1 << (1 + rng.IntN(62))))
		default:
			// Use no byte of the layouts' literals.
			alphabet := "ABYZ019_/<>é世\x00\xff"
			if !part.Word {
				alphabet += "\v"
			}
			value = part.Prefix + randomOf(rng, alphabet, 1+rng.IntN(20)) + part.Suffix
		}
		b.WriteString(value)
		if part.Kind != layout.Skip {
			want[strings.TrimPrefix(key, "resource.")] = value
		}
	}
	return b.String(), want
}

func randomOf(rng *rand.Rand, alphabet string, length int) string {
	runes, text := []rune(alphabet), ""
	for range length {
		text += string(runes[rng.IntN(len(runes))])
	}
	return text
}

func writeTime(rng *rand.Rand, format string) (Timestamp, string) {
	if format == layout.ISO {
		format = []string{"%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%d %H:%M:%S,%f", "%Y-%m-%d %H:%M:%S"}[rng.IntN(3)]
	}
	at := fromEpoch(rng.Int64N(9e9), 0)
	verbs := map[byte]string{'m': fmt.Sprintf("%02d", at.Month), 'd': fmt.Sprintf("%02d", at.Day),
		'H': fmt.Sprintf("%02d", at.Hour), 'M': fmt.Sprintf("%02d", at.Minute), 'S': fmt.Sprintf("%02d", at.Second)}
	for _, verb := range []string{"Y", "f", "z", "Q"} {
		has := strings.Contains(format, "%"+verb)
		switch {
		case verb == "Y" && !has && !strings.Contains(format, "%Q"):
			at.Year = 0
		case verb == "f" && has:
			at.Nanosecond = rng.Int32N(1e9)
		case verb == "z" && has:
			at.Offset = 60 * (rng.Int32N(1440) - 720)
		case verb == "z":
			at.Zone = strings.Contains(format, "%Q")
		case verb == "Q" && has:
			at.Nanosecond = 1e6 * rng.Int32N(1000)
		}
	}
	sign, offset := "+", at.Offset
	if offset < 0 {
		sign, offset = "-", -offset
	}
	if !strings.Contains(format, "%d") && format != "%Q" {
		at.Year, at.Month, at.Day = 0, everyDay, 0
	}
	verbs['I'], verbs['p'] = fmt.Sprint((at.Hour+11)%12+1), []string{"AM", "PM"}[at.Hour/12]
	verbs['b'] = at.in(2000).Format("Jan")
	verbs['Y'] = fmt.Sprint(at.Year)
	verbs['f'] = fmt.Sprintf("%09d", at.Nanosecond)
	verbs['z'] = fmt.Sprintf("%s%02d:%02d", sign, offset/3600, offset/60%60)
	verbs['Q'] = fmt.Sprint(at.in(int(at.Year)).UnixMilli())
	for verb, text := range verbs {
		format = strings.ReplaceAll(format, "%"+string(verb), text)
	}
	return at, format
}

// pieces returns the values of an entry by their keys.
func pieces(e *Entry) map[string]string {
	all := map[string]string{}
	if !e.Time.IsZero() {
		all["time"] = fmt.Sprint(e.Time)
	}
	if e.SeverityText != "" {
		all["severity"] = e.SeverityText
	}
	if e.Body != "" {
		all["body"] = e.Body
	}
	for _, field := range append(e.IDs, e.Resource...) {
		all[field.Key] = field.Value
	}
	for _, a := range e.Attributes {
		all[a.Key] = a.Text
		if a.Kind == KindInt {
			all[a.Key] = fmt.Sprint(a.Int)
		}
	}
	return all
}
