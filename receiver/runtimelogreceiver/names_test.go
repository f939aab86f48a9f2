// SPDX-License-Identifier: Apache-2.0

//go:build linux

package runtimelogreceiver

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// The attributes of a file whose path is not UTF-8 are UTF-8. A restart recognises the file by
// its path on disk, even if it was replaced by a copy with another inode.
func TestNamesThatAreNotUTF8(t *testing.T) {
	for _, restart := range []string{"same file", "copy"} {
		t.Run(restart, func(t *testing.T) {
			const dir, name = "prod_store-\xff_6f1/daemon", "0.log.\xff"
			r := newRig(t, func(cfg *Config) {
				cfg.Include = []string{filepath.Join(filepath.Dir(cfg.Include[0]), "*", "*", "*.log*")}
				cfg.IncludeFilePath = true
				cfg.Paths = []PathsItem{{Match: "{k8s.namespace.name}_{k8s.pod.name}_{k8s.pod.uid}/{k8s.container.name}/0.log.{suffix}"}}
			})
			require.NoError(t, os.MkdirAll(filepath.Join(r.dir, dir), 0o700))
			file := filepath.Join(dir, name)
			r.write(file, cpp+"one\n")
			r.start()
			r.records(1)
			r.awaitQuiet()
			r.stop()
			if restart == "copy" {
				path := filepath.Join(r.dir, file)
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(path+".new", text, 0o600))
				require.NoError(t, os.Rename(path+".new", path))
			}
			r.write(file, cpp+"two\n")
			r.start()
			r.records(2)
			assert.Equal(t, []string{"one", "two"}, r.bodies("0.log.\uFFFD"))

			r.mu.Lock()
			defer r.mu.Unlock()
			for _, batch := range r.batches {
				resource := batch.ResourceLogs().At(0).Resource().Attributes()
				requireUTF8(t, resource)
				assert.Equal(t, map[string]any{
					"k8s.namespace.name": "prod", "k8s.pod.name": "store-\uFFFD", "k8s.pod.uid": "6f1", "k8s.container.name": "daemon", "suffix": "\uFFFD", "service.namespace": "tensorcast",
				}, resource.AsRaw())
			}
			for _, record := range r.got {
				requireUTF8(t, record.Attributes())
				path, _ := record.Attributes().Get(filePathKey)
				assert.Equal(t, filepath.Join(r.dir, "prod_store-\uFFFD_6f1/daemon", "0.log.\uFFFD"), path.Str())
			}
		})
	}
}

// The pod's attributes, which container: auto derives from the path, are UTF-8 as well.
func TestPodsThatAreNotUTF8(t *testing.T) {
	r := newRig(t, func(cfg *Config) {
		cfg.Include = []string{filepath.Join(filepath.Dir(cfg.Include[0]), "*", "*", "*.log")}
		cfg.Container = containerAuto
	})
	require.NoError(t, os.MkdirAll(filepath.Join(r.dir, "prod_store-\xff_6f1/daemon"), 0o700))
	r.write("prod_store-\xff_6f1/daemon/0.log", "2026-11-22T10:00:00Z stdout F one\n")
	r.start()
	r.records(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	resource := r.batches[0].ResourceLogs().At(0).Resource().Attributes()
	requireUTF8(t, resource)
	pod, _ := resource.Get("k8s.pod.name")
	assert.Equal(t, "store-\uFFFD", pod.Str())
}

func requireUTF8(t *testing.T, attributes pcommon.Map) {
	t.Helper()
	for key, value := range attributes.All() {
		require.True(t, utf8.ValidString(value.AsString()), "%s: %q", key, value.AsString())
	}
}
