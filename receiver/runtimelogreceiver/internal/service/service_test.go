// SPDX-License-Identifier: Apache-2.0

package service

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
)

func TestNameOf(t *testing.T) {
	f := func(want, pattern string, paths ...string) {
		t.Helper()
		for _, path := range paths {
			assert.Equal(t, want, NameOf(path, []string{pattern}), path)
		}
	}
	// The folder that a wildcard matches.
	const folders = "/var/log/otelcol-tc/*/*.log*"
	f("fastdeploy", folders, "/var/log/otelcol-tc/fastdeploy/x.log", "/var/log/otelcol-tc/fastdeploy/stdout.log.3", "/var/log/otelcol-tc/fastdeploy-0/x.log")
	f("x", folders, "/var/log/otelcol-tc/2026-11-22/x.log", "/var/log/otelcol-tc/logs/x.log", "/var/log/otelcol-tc/4f2a9c31/x.log")
	f("shop", "/var/log/**/*.log", "/var/log/shop/2026/11/22/error.log", "/var/log/shop.log", "/var/log/shop/logs/x.log")
	f("store-daemon", "/srv/*/store-daemon/*.log", "/srv/node-7/store-daemon/x.log")
	f("daemon", "/var/log/pods/*/*/*.log", "/var/log/pods/prod_store-0_6f1f8b2a-1c1d-4e5f-8a9b-0c1d2e3f4a5b/daemon/0.log")

	// The file's name, without what rotation, dates, ids and processes add.
	const files = "./logs/*"
	for _, name := range []string{"fastdeploy.log", "fastdeploy.log.1", "fastdeploy.log.2026-11-22", "fastdeploy-20261122.log", "fastdeploy-20261122T100000Z.log.gz",
		"fastdeploy.2026-11-22_10-00-00.log", "fastdeploy_31007.log", "fastdeploy.pid31007.log", "fastdeploy-rank0.out", "fastdeploy.log-20261122.gz", "fastdeploy.stderr.log",
		"fastdeploy-6f1f8b2a-1c1d-4e5f-8a9b-0c1d2e3f4a5b.log", "fastdeploy.4f2a9c31d0.log", "fastdeploy", "fastdeploy.json", "fastdeploy.log.2", "FASTDEPLOY.LOG"} {
		assert.Equal(t, "fastdeploy", strings.ToLower(NameOf("logs/"+name, []string{files})), name)
	}
	f("workerlog", files, "logs/workerlog.0", "logs/workerlog.17")
	f("python-core-worker", files, "logs/python-core-worker-3b1e5a1c6e0d0f4c2d9e6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c1d2e3f_31007.log")
	f("store_daemon", files, "logs/store_daemon.node7.root.log.INFO.20261122-100000.31007")
	f("gpt2", files, "logs/gpt2.log")
	f("Заказы", files, "logs/Заказы-2026.log")

	// The folder before the wildcard, if the file's name says nothing.
	f("nginx", "/var/log/nginx/*.log", "/var/log/nginx/access.log", "/var/log/nginx/error.log.1", "/var/log/nginx/2026.log")
	f("nginx", "/var/log/nginx/access.log", "/var/log/nginx/access.log")
	f("access", "/var/log/*.log", "/var/log/access.log")
	f("", "/var/log/*", "/var/log/4f2a9c31d0.log", "/var/log/"+strings.Repeat("x", 65))

	// The first pattern that matches decides; a file that was renamed out of all of them has its name.
	assert.Equal(t, "shop", NameOf("/var/log/shop/x.log", []string{"/srv/*", "/var/log/*/*", "/var/log/shop/*"}))
	assert.Equal(t, "x", NameOf("/old/shop/x.log.1", []string{"/var/log/*"}))
}

// A name is one printable line.
func TestNamesOfHostilePaths(t *testing.T) {
	f := func(want, path string) {
		t.Helper()
		assert.Equal(t, want, NameOf(path, []string{"/l/*/*.log", "/l/*.log"}), "%q", path)
	}
	f("a-b", "/l/a\nb/x.log")
	f("a-31mb", "/l/a\x1b[31mb/x.log")
	f("a-b", "/l/a\u202eb/x.log")
	f("a-b", "/l/a\xffb/x.log")
	f("a b", "/l/a b/x.log")
	f("x", "/l/..x/y.log")
	f("x", "/l/../x.log")
	f("y", "/l/"+strings.Repeat("x", 10000)+"/y.log")
}

// A name is short, has neither numbers nor ids, and stays as it is when it is cleaned again.
func FuzzNameOf(f *testing.F) {
	for _, path := range []string{"/var/log/otelcol-tc/shop-0/x.log", "/var/log/shop/b-6f1f8b2a-1c1d-4e5f-8a9b-0c1d2e3f4a5b.log.1", "logs/\xff/1.log", "logs/x.log.INFO.1"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		name := NameOf(path, []string{"/var/log/*/*", "/var/log/**/*.log", "logs/*"})
		assert.LessOrEqual(t, len(name), maxName)
		assert.Equal(t, name, clean(name))
		assert.NotContains(t, name, "/")
		assert.Negative(t, strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }))
	})
}
