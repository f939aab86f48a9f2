// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Outputs returns all that has left the collector, by where it is: its files, its log and, while it runs, its pages.
func (c *Collector) Outputs(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"the log": c.Logs()}
	require.NotEmpty(t, all["the log"])
	require.NoError(t, filepath.WalkDir(c.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			content, _ := os.ReadFile(path) // nothing if it is gone since
			all[strings.TrimPrefix(path, c.DataDir+"/")] = string(content)
		}
		return nil
	}))
	if !c.Running() {
		return all
	}
	for name, url := range map[string]string{
		"the Prometheus page": c.Prometheus + "/metrics", "its own metrics": c.Telemetry + "/metrics",
		"the conformance page": c.Page + "/", "the report": c.Page + "/api/v1/report",
	} {
		body, err := GetPage(t.Context(), "http://"+url)
		require.NoError(t, err)
		all[name] = string(body)
	}
	return all
}

// RequireNowhere requires that no output has a text, and shows what is around it.
func RequireNowhere(t *testing.T, outputs map[string]string, secret string) {
	t.Helper()
	require.NotEmpty(t, outputs)
	for name, text := range outputs {
		if at := strings.Index(text, secret); at >= 0 {
			require.Failf(t, "a secret came out", "%s in %s: …%s…", secret, name, text[max(0, at-300):min(len(text), at+100)])
		}
	}
}
