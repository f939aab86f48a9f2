// SPDX-License-Identifier: Apache-2.0

package security

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A text of 1 MiB takes the search for content less than a second, whatever it is.
func TestHostileTexts(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	file, err := os.ReadFile("../../conventions/content/testdata/hostile.yaml")
	require.NoError(t, err)
	var parts []string
	require.NoError(t, yaml.Unmarshal(file, &parts))
	for _, action := range []content.Action{content.Redact, content.Truncate, content.Keep} {
		p := content.New(content.Config{Default: action}, nil)
		for _, part := range parts {
			text := strings.Repeat(part, collectortest.MiB/len(part))
			start := time.Now()
			p.Search(action, text, func(*content.Rule, int) {})
			for form := content.AnyText; form <= content.Command; form++ {
				p.ScrubURLs(form, text)
			}
			collectortest.Within(t, time.Since(start), time.Second, part, action)
		}
	}
}
