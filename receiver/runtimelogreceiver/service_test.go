// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	fastDeploy = "INFO     2026-11-21 10:00:00,123 3100  engine.py[line:412] "
	uvicorn    = "INFO:     Application startup complete.\n"
)

// services returns service.name of each record so far, in order.
func (r *rig) services() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, batch := range r.batches {
		for _, resource := range batch.ResourceLogs().All() {
			name, _ := resource.Resource().Attributes().AsRaw()[serviceKey].(string)
			for _, scope := range resource.ScopeLogs().All() {
				for range scope.LogRecords().All() {
					all = append(all, name)
				}
			}
		}
	}
	return all
}

func inFolders(cfg *Config) {
	cfg.Include = []string{filepath.Join(filepath.Dir(cfg.Include[0]), "*", "*.log*")}
}

func TestService(t *testing.T) {
	f := func(name string, settings func(*Config), file, text string, want ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			r := newRig(t, settings)
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, file)), 0o700))
			r.write(file, text)
			r.start()
			r.records(len(want))
			assert.Equal(t, want, r.services())
		})
	}
	f("the file's name", nil, "shop-20261121.log", "plain\n"+uvicorn, "shop", "shop")
	f("the folder", inFolders, "shop/stdout.log.1", "plain\n"+uvicorn, "shop", "shop")
	// The pack's, for all lines of the file: before the first line that the pack knows, and between.
	f("the pack", inFolders, "logs/x.log", "plain\n"+uvicorn+fastDeploy+"one\n"+uvicorn+fastDeploy+"two\n", "FastDeploy", "FastDeploy", "FastDeploy", "FastDeploy", "FastDeploy")
	f("a pack that knows the namespace only", nil, "daemon.log", cpp+"one\n"+cpp+"two\n", "daemon", "daemon")
	f("the record", nil, "messages.log", "Nov 21 10:00:00 vm sshd[7]: one\nNov 21 10:00:00 vm cron[8]: two\nplain\n", "sshd", "cron", "messages")
	f("the configuration", func(cfg *Config) { cfg.Resource = map[string]string{serviceKey: "configured"} }, "x.log",
		fastDeploy+"one\nNov 21 10:00:00 vm sshd[7]: one\n", "configured", "configured")
	f("a pattern of paths", func(cfg *Config) { cfg.Paths = []PathsItem{{Match: "{service.name}.log"}} }, "stdout.log", fastDeploy+"one\n", "stdout")
	// The pack names the service of a pod, as the spans of the process do. k8s_attributes names the rest.
	f("a pod", func(cfg *Config) { inPods(cfg) }, "prod_api-0_6f1/server/0.log",
		"2026-11-21T10:00:00Z stdout F "+fastDeploy+"one\n2026-11-21T10:00:00Z stdout F Nov 21 10:00:00 vm sshd[7]: one\n", "FastDeploy", "sshd")
	f("a pod of no pack", func(cfg *Config) { inPods(cfg) }, "prod_api-0_6f1/server/0.log",
		"2026-11-21T10:00:00Z stdout F "+uvicorn, "")
}

func inPods(cfg *Config) {
	cfg.Include = []string{filepath.Join(filepath.Dir(cfg.Include[0]), "*", "*", "*.log")}
	cfg.Container = containerAuto
}

// The service of a file stays the same from batch to batch, when the file is rotated, and over a restart.
func TestServiceStays(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Include[0] += "*" })
	r.start()
	r.write("x.log", "plain\n")
	r.records(1)
	r.write("x.log", fastDeploy+"one\n")
	r.records(2)
	r.write("x.log", uvicorn)
	r.records(3)
	r.rename("x.log", "old.log.1")
	r.write("old.log.1", "INFO:     renamed\n")
	r.records(4)
	r.awaitQuiet()
	r.stop()
	r.write("old.log.1", "INFO:     restarted\n")
	r.start()
	r.records(5)
	assert.Equal(t, []string{"x", "FastDeploy", "FastDeploy", "FastDeploy", "FastDeploy"}, r.services())
}

// What every kind of runtime writes to its terminal is parsed in the files of pods.
func TestPodsLines(t *testing.T) {
	r := newRig(t, inPods)
	const stamp = "2026-11-21T10:00:01.5Z stdout F "
	require.NoError(t, os.MkdirAll(filepath.Join(r.dir, "prod_api-0_6f1/server"), 0o700))
	r.write("prod_api-0_6f1/server/0.log", stamp+"\x1b[32mINFO\x1b[0m:     127.0.0.1:50160 - \"\x1b[1mGET /v1/x HTTP/1.1\x1b[0m\" \x1b[32m200 OK\x1b[0m\n"+
		stamp+"Nov 21, 2026 10:00:00 AM com.example.Shop main\n"+stamp+"SEVERE: failed\n"+stamp+"\tat com.example.Shop.main(Shop.java:7)\n"+
		stamp+"10:00:00.123 [main] INFO  com.example.Shop -- done\n")
	r.start()
	got := r.records(3)
	assert.Equal(t, []string{`127.0.0.1:50160 - "GET /v1/x HTTP/1.1" 200 OK`, "failed\n\tat com.example.Shop.main(Shop.java:7)", "done"}, r.bodies(""))
	status, _ := got[0].Attributes().Get("http.response.status_code")
	assert.Equal(t, int64(200), status.Int())
	for i, want := range []string{"2026-11-21T10:00:01.5Z", "2026-11-21T10:00:00Z", "2026-11-21T10:00:00.123Z"} {
		assert.Equal(t, want, got[i].Timestamp().AsTime().Format("2006-01-02T15:04:05.999Z07:00"))
	}
}
