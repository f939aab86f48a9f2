// SPDX-License-Identifier: Apache-2.0

package containerlog

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 123456789, time.UTC)
	for text, want := range map[string]Line{
		"2026-11-22T10:00:00.123456789Z stdout F text\n":                                             {at, "stdout", []byte("text\n")},
		"2026-11-22T12:00:00.123456789+02:00 stderr F a  b \n":                                       {at, "stderr", []byte("a  b \n")},
		"2026-11-22T10:00:00.123456789Z stdout P part\n":                                             {at, "stdout", []byte("part")},
		"2026-11-22T10:00:00.123456789Z stdout P:more part\n":                                        {at, "stdout", []byte("part")},
		"2026-11-22T10:00:00.123456789Z stdout F \n":                                                 {at, "stdout", []byte("\n")},
		"2026-11-22T10:00:00.123456789Z stdout F\n":                                                  {at, "stdout", []byte("\n")},
		`{"log":"a \"b\"\n","stream":"stderr","time":"2026-11-22T10:00:00.123456789Z"}` + "\n":       {at, "stderr", []byte("a \"b\"\n")},
		`{"log":"part","stream":"stdout","time":"2026-11-22T10:00:00.123456789Z","attrs":{}}` + "\n": {at, "stdout", []byte("part")},
	} {
		got, ok := Parse([]byte(text))
		require.True(t, ok, text)
		assert.True(t, want.Time.Equal(got.Time), text)
		assert.Equal(t, want.Stream, got.Stream, text)
		assert.Equal(t, string(want.Text), string(got.Text), text)
	}
	for _, text := range []string{
		"", "\n", "text\n", "stdout F text\n", "2026-11-22T10:00:00Z stdin F text\n", "2026-11-22T10:00:00Z stdout X text\n",
		"2026-11-22 stdout F text\n", "2026-11-22T10:00:00Z stdout", `{"log":"a\n"}` + "\n", `{"log":1,"stream":"stdout","time":"2026-11-22T10:00:00Z"}` + "\n",
		`{"log":"a\n","stream":"stdout","time":"now"}` + "\n", `{"log":"a`, "{\n",
	} {
		_, ok := Parse([]byte(text))
		assert.False(t, ok, text)
	}
}

func TestPod(t *testing.T) {
	want := map[string]string{
		"k8s.namespace.name": "prod", "k8s.pod.name": "store-0", "k8s.pod.uid": "6f1e-2", "k8s.container.name": "daemon", "k8s.container.restart_count": "3",
	}
	assert.Equal(t, want, Pod("/var/log/pods/prod_store-0_6f1e-2/daemon/3.log"))
	assert.Equal(t, want, Pod("/var/log/pods/prod_store-0_6f1e-2/daemon/3.log.20261122-050000"))
	assert.Equal(t, want, Pod("/var/log/pods/prod_store-0_6f1e-2/daemon/3.log.20261122-050000.gz"))
	assert.Nil(t, Pod("/var/log/otelcol-tc/a/3.log"))
	assert.Nil(t, Pod("/var/log/pods/prod_store-0_6f1e-2/daemon/x.log"))
}

// Parse accepts any line, does not change it, and returns no more text than it contains.
func FuzzParse(f *testing.F) {
	f.Add([]byte("2026-11-22T10:00:00.123456789Z stdout F text\n"))
	f.Add([]byte("2026-11-22T10:00:00Z stderr P \n"))
	f.Add([]byte(`{"log":"text \u00e9\n","stream":"stdout","time":"2026-11-22T10:00:00Z"}` + "\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		got, ok := Parse(line)
		require.Equal(t, before, line)
		if !ok {
			return
		}
		require.Contains(t, []string{"stdout", "stderr"}, got.Stream)
		require.Less(t, len(got.Text), len(line))
	})
}
