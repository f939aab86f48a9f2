// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// secret is what no record may hold.
const secret = "eyJhbGciOiJSUzI1NiIs"

// logFolders are the folders that an agent watches: of runtimes and of pods.
type logFolders struct{ runtimes, pods, outside string }

func newLogFolders(t *testing.T) logFolders {
	dir := t.TempDir()
	f := logFolders{filepath.Join(dir, "runtimes"), filepath.Join(dir, "pods"), filepath.Join(dir, "outside")}
	require.NoError(t, os.MkdirAll(f.outside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(f.outside, "token.log"), []byte(secret+"\n"), 0o600))
	return f
}

// start starts an agent that watches the folders, with the patterns of the profile. The environment says more.
func (f logFolders) start(t *testing.T, env map[string]string) *nodeAgent {
	t.Helper()
	closed := collectortest.FreeAddress(t)
	all := map[string]string{
		"OTELCOL_TC_LOG_FILES":     fmt.Sprintf("[%q]", f.runtimes+"/*/*.log*"),
		"OTELCOL_TC_POD_LOG_FILES": fmt.Sprintf("[%q]", f.pods+"/*/*/*.log*"),
	}
	maps.Copy(all, env)
	return startAgent(t, "node-a", kubeserver.WriteKubeconfig(t, "https://"+closed, collectortest.NewAuthority(t).File, "none"), all)
}

// pod returns the folder of a container's logs.
func (f logFolders) pod(t *testing.T, name string) string {
	t.Helper()
	return makeDir(t, filepath.Join(f.pods, "models_"+name+"_6b1d7c9e-0f1d-4c7e-9a55-0c4b1e1a2f3d", "main"))
}

func (f logFolders) runtime(t *testing.T, name string) string {
	t.Helper()
	return makeDir(t, filepath.Join(f.runtimes, name))
}

// makeDir makes a directory, and returns it.
func makeDir(t *testing.T, dir string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	return dir
}

// inContainer is a line as containerd writes it.
func inContainer(text string) string { return "2026-11-22T10:00:00.5Z stdout F " + text }

// Pipes, sockets, devices, links that lead elsewhere and files without an end, among the
// logs of runtimes and of pods: the other files' lines arrive, nothing of another file
// does, what is not read is counted, and SIGTERM ends the agent as ever.
func TestSpecialFilesAmongLogs(t *testing.T) {
	t.Parallel()
	f := newLogFolders(t)
	var endless []string
	for _, dir := range []string{f.runtime(t, "hostile"), f.pod(t, "hostile-0")} {
		special(t, dir, f.outside)
		endless = append(endless, filepath.Join(dir, "3.log"))
	}
	require.NoError(t, os.Symlink(f.outside, filepath.Join(f.runtimes, "tenant")))
	good, pod := filepath.Join(f.runtime(t, "good"), "store.log"), filepath.Join(f.pod(t, "good-0"), "0.log")
	collectortest.AppendLines(t, good, "good runtime 0")
	collectortest.AppendLines(t, pod, inContainer("good pod 0"))

	stop := make(chan struct{})
	var writers sync.WaitGroup
	t.Cleanup(func() { close(stop); writers.Wait() })
	for _, path := range endless {
		writers.Go(func() { writeEndlessly(t, path, stop) })
	}
	a := f.start(t, nil)
	const lines = 300
	for i := 1; i < lines; i++ {
		collectortest.AppendLines(t, good, fmt.Sprint("good runtime ", i))
		collectortest.AppendLines(t, pod, inContainer(fmt.Sprint("good pod ", i)))
		time.Sleep(time.Millisecond)
	}
	var all plog.Logs
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		all = a.backend.LogRecords(t)
		found := map[string]int{}
		for record := range collectortest.Records(all) {
			for _, kind := range []string{"good runtime ", "good pod ", "endless "} {
				if strings.HasPrefix(record.Body().AsString(), kind) {
					found[kind]++
				}
			}
		}
		return found["good runtime "] == lines && found["good pod "] == lines && found["endless "] > 0, fmt.Sprint("arrived: ", found)
	})
	for record := range collectortest.Records(all) {
		require.NotContains(t, record.Body().AsString(), secret)
		require.NotContains(t, record.Body().AsString(), "\x00")
	}
	reasons := map[string]float64{}
	for _, metric := range a.SelfMetrics(t)["otelcol_runtime_log_skipped_files"].GetMetric() {
		for _, label := range metric.GetLabel() {
			if label.GetName() == "reason" {
				reasons[label.GetValue()] += metric.GetCounter().GetValue()
			}
		}
	}
	assert.Equal(t, map[string]float64{"named_pipe": 2, "socket": 2, "link_outside": 7, "link_loop": 2}, reasons)
	begin := time.Now()
	assert.Zero(t, a.Stop(t).Code)
	collectortest.Within(t, time.Since(begin), 15*time.Second, "the end of an agent that has work")
}

// special makes files in a folder that are no logs.
func special(t *testing.T, dir, outside string) {
	t.Helper()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, syscall.Mkfifo(path("pipe.log"), 0o600))
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: socketPath(t, path("socket.log"))})
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	for name, to := range map[string]string{
		"zero.log": "/dev/zero", "token.log": filepath.Join(outside, "token.log"), "up.log": "../../outside/token.log", "loop.log": "loop.log",
	} {
		require.NoError(t, os.Symlink(to, path(name)))
	}
	require.NoError(t, os.WriteFile(path("1.log"), nil, 0o600))
	require.NoError(t, os.Truncate(path("1.log"), 20<<30))
	require.NoError(t, os.WriteFile(path("3.log"), nil, 0o600))
}

// socketPath makes a path short enough for a socket: another name of the directory.
func socketPath(t *testing.T, path string) string {
	t.Helper()
	short, err := os.MkdirTemp("/tmp", "s") //nolint:usetesting // its directories have long names
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	require.NoError(t, os.Symlink(filepath.Dir(path), filepath.Join(short, "d")))
	return filepath.Join(short, "d", filepath.Base(path))
}

// writeEndlessly appends to a file all the time, at a pace and up to a size that the machine
// of a test can bear.
func writeEndlessly(t *testing.T, path string, stop <-chan struct{}) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if !assert.NoError(t, err) {
		return
	}
	defer func() { _ = file.Close() }()
	text := bytes.Repeat([]byte(inContainer("endless line of some length")+"\n"), 200)
	text = append([]byte("endless \n"), text...)
	for range 2000 {
		select {
		case <-stop:
			return
		case <-time.After(2 * time.Millisecond):
			_, _ = file.Write(text)
		}
	}
}

// The lines of containers are taken apart, those of the CRI and of Docker, the parts of long
// ones joined, each stream by itself; what is in them has a format of its own.
func TestContainerLines(t *testing.T) {
	t.Parallel()
	f := newLogFolders(t)
	dir := f.pod(t, "store-0")
	collectortest.AppendLines(t, filepath.Join(dir, "2.log"),
		`2026-11-22T10:00:00.1Z stdout F 2026-11-22T09:59:59.000000001+00:00 I tid=7 store.cc:12 trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 pinned`,
		`2026-11-22T10:00:00.2Z stderr P a long `,
		`2026-11-22T10:00:00.3Z stdout F   with a second line`,
		`2026-11-22T10:00:00.4Z stderr P line in `,
		`2026-11-22T10:00:00.5Z stderr F three parts`,
		`no line of a runtime`)
	collectortest.AppendLines(t, filepath.Join(f.pod(t, "docker-0"), "0.log"),
		`{"log":"ERROR 11-22 09:59:58 [t] trace_id=- span_id=- s.py:8: \u4e0a \"q\"\n","stream":"stderr","time":"2026-11-22T10:00:01.5Z"}`,
		`{"log":"one ","stream":"stdout","time":"2026-11-22T10:00:02Z"}`,
		`{"log":"two\n","stream":"stdout","time":"2026-11-22T10:00:03Z"}`)
	a := f.start(t, nil)
	all := collectortest.AwaitRecords(t, a.backend, 5)

	type line struct {
		body, severity, stream, at, trace string
	}
	got := map[string][]line{}
	for resource, record := range collectortest.RecordsByResource(all) {
		attribute := func(key string) string { return judge.Text(resource.Attributes(), key) }
		pod := strings.Join([]string{attribute("k8s.namespace.name"), attribute("k8s.pod.name"), attribute("k8s.pod.uid"), attribute("k8s.container.name"), attribute("k8s.container.restart_count")}, " ")
		at := ""
		if record.Timestamp() != 0 && record.SeverityText() != "ERROR" { // whose zone is the machine's
			at = record.Timestamp().AsTime().Format(time.RFC3339Nano)
		}
		trace := ""
		if record.TraceID() != (pcommon.TraceID{}) {
			trace = record.TraceID().String()
		}
		got[pod] = append(got[pod], line{record.Body().AsString(), record.SeverityText(), judge.Text(record.Attributes(), "log.iostream"), at, trace})
	}
	uid := "6b1d7c9e-0f1d-4c7e-9a55-0c4b1e1a2f3d"
	assert.ElementsMatch(t, []line{
		{"pinned\n  with a second line", "I", "stdout", "2026-11-22T09:59:59.000000001Z", "0af7651916cd43dd8448eb211c80319c"},
		{"a long line in three parts", "", "stderr", "2026-11-22T10:00:00.2Z", ""},
		{"no line of a runtime", "", "", "", ""},
	}, got["models store-0 "+uid+" main 2"])
	assert.ElementsMatch(t, []line{
		{`上 "q"`, "ERROR", "stderr", "", ""},
		{"one two", "", "stdout", "2026-11-22T10:00:02Z", ""},
	}, got["models docker-0 "+uid+" main 0"])
}
