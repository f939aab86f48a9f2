// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// filesScenario is an agent that reads the log of a runtime and that of a container.
func filesScenario(t *testing.T, name string) (s *scenario, runtime, pod *logFile) {
	t.Helper()
	s = kubernetesScenario(t, name)
	dir := t.TempDir()
	s.options.Env["OTELCOL_TC_LOG_FILES"] = fmt.Sprintf("[%q]", filepath.Join(dir, "runtime", "*.log*"))
	// As the profile's default has it.
	s.options.Env["OTELCOL_TC_POD_LOG_FILES"] = fmt.Sprintf("[%q]", filepath.Join(dir, podLogs))
	runtime = &logFile{
		ledger: s.ledger, path: filepath.Join(dir, "runtime", "store.log"), rotated: ".1",
		line: "%s I tid=7 store.cc:12 " + lineMark + "%d\n",
	}
	pod = &logFile{
		ledger: s.ledger, rotated: ".20261122-050000",
		path: filepath.Join(dir, "default_store-0_0f1e2d3c-0000-0000-0000-000000000001", "store", "0.log"),
		line: "%s stdout F " + lineMark + "%d\n",
	}
	return s, runtime, pod
}

// podLogs is the profile's pattern below /var/log/pods.
const podLogs = "*/*/*.log*"

// logFile is a log with an item in each line. What is written is promised to arrive.
type logFile struct {
	ledger  *ledger
	path    string
	rotated string // what rotation adds to the name
	line    string // format of the time and the id
}

func (f *logFile) log(t *testing.T, lines int) {
	t.Helper()
	first := f.ledger.offer(lines)
	f.ledger.accept(first, lines)
	var text strings.Builder
	for id := first; id < first+lines; id++ {
		fmt.Fprintf(&text, f.line, time.Now().Format("2006-01-02T15:04:05.000000000Z07:00"), id)
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(f.path), 0o755))
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(text.String())
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// rotate does what log rotation does, once.
func (f *logFile) rotate(t *testing.T) {
	t.Helper()
	require.NoError(t, os.Rename(f.path, f.path+f.rotated))
}

// Log files over kills at rest, and rotation while the agent is away.
func TestFilesOverKillAndRotation(t *testing.T) {
	t.Parallel()
	s, runtime, pod := filesScenario(t, "05 log files: kill, rotation")
	runtime.log(t, 3000)
	pod.log(t, 3000)
	c, _ := s.start(t)
	s.awaitDelivered(t)
	time.Sleep(untilNoted)
	c.Kill(t)

	for _, file := range []*logFile{runtime, pod} {
		file.log(t, 1000)
		file.rotate(t)
		file.log(t, 1000)
	}
	c, _ = s.start(t)
	s.awaitDelivered(t)
	terminate(t, c)
	assert.Zero(t, s.ledger.tally().doubled)
}

// The same in an outage, and each way to end.
func TestFilesInAnOutage(t *testing.T) {
	f := func(name string, end func(*testing.T, *collectortest.Collector)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, runtime, pod := filesScenario(t, name)
			c, _ := s.start(t)
			for _, file := range []*logFile{runtime, pod} {
				file.log(t, 500)
			}
			s.awaitDelivered(t)
			time.Sleep(untilNoted)
			s.sink.away()
			for _, file := range []*logFile{runtime, pod} {
				file.log(t, 3000)
			}
			time.Sleep(time.Second) // read, and waiting for the gateway
			end(t, c)
			for _, file := range []*logFile{runtime, pod} {
				file.rotate(t)
				file.log(t, 3000)
			}
			s.start(t)
			s.sink.back(t)
			s.awaitDelivered(t)
			s.awaitQuiet(t)
			assert.Zero(t, s.ledger.tally().doubled)
		})
	}
	f("06 log files, gateway away, SIGKILL, rotation", kill)
	f("06 log files, gateway away, SIGTERM, rotation", terminate)
}

// A line that becomes larger than 2 MiB, because what is no UTF-8 in it is replaced by more bytes, delays no other line. Upstream's batcher drops what is behind an item that is too large, and reports an error for all of it.
func TestLongLineAmongShort(t *testing.T) {
	t.Parallel()
	s, runtime, _ := filesScenario(t, "05 log files: a long line")
	runtime.log(t, 100)
	line := time.Now().Format("2006-01-02T15:04:05.000000000Z07:00") + " I tid=7 store.cc:12 " + strings.Repeat("\xffa", 524_200)
	collectortest.AppendLines(t, runtime.path, line)
	runtime.log(t, 100)
	s.start(t)
	s.awaitDelivered(t)
	assert.Zero(t, s.ledger.tally().doubled)
}

// What a gateway has when the agent stops does not come again: the exporter's queue must not say that a delivery was
// cancelled when it was not.
func TestFilesOverStopsUnderWay(t *testing.T) {
	t.Parallel()
	s, runtime, pod := filesScenario(t, "05 log files: stops under way")
	s.sink.respond(answer{delay: 100 * time.Millisecond})
	for round := range 2 {
		runtime.log(t, 1000)
		pod.log(t, 1000)
		c, _ := s.start(t)
		s.awaitDeliveries(t, round*2000+500)
		terminate(t, c)
	}
	s.start(t)
	s.awaitDelivered(t)
	assert.Zero(t, s.ledger.tally().doubled)
}
