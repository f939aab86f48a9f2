// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/send"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Several tcgen send what FastDeploy's prefill and decode instances do. Their spans and files are
// delayed by random times. No line comes out in another trace, and nearly all that name a request in
// theirs.
func TestSplitRequestsEndToEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collectortest.StartReading(t, dir)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var lines []scenario.Line
	for seed := range 4 {
		wg.Go(func() {
			written := runSplit(t, delayed(t, c.GRPC, uint64(seed)), dir, seed)
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, written...)
		})
	}
	wg.Wait()
	awaitFileRecords(t, c, len(lines))
	require.Zero(t, c.Stop(t).Code)

	due, inTrace := 0, 0
	eachFileRecord(t, lines, c.LogRecords(t), func(line scenario.Line, record plog.LogRecord) {
		if !record.TraceID().IsEmpty() {
			assert.Equal(t, line.Span.TraceID, record.TraceID(), line.Text)
		}
		if !strings.Contains(line.Text, "cmpl-") || line.Span == (scenario.SpanRef{}) {
			return
		}
		due++
		if !record.TraceID().IsEmpty() {
			inTrace++
		}
	})
	require.NotZero(t, due)
	assert.GreaterOrEqual(t, float64(inTrace), minInTrace*float64(due), "%d of %d", inTrace, due)
	t.Logf("%d of %d lines came out in their trace", inTrace, due)
}

// splitFiles are those of the prefill and decode instances.
const splitFiles = "fastdeploy_[pd]*.log"

// runSplit runs tcgen, and copies its files to a directory in parts. It returns what it wrote.
func runSplit(t *testing.T, endpoint, dir string, seed int) []scenario.Line {
	from := t.TempDir()
	var lines []scenario.Line
	_, err := send.Run(t.Context(), send.Options{
		Endpoint: endpoint, Systems: []string{"fastdeploy"}, Seed: uint64(seed + 1), Rate: 4, Duration: 3 * time.Second, LogDir: filepath.Join(from, "logs"),
		Sent: func(_ string, batch scenario.Batch) {
			for _, line := range batch.Lines {
				if ok, _ := filepath.Match(splitFiles, line.File); ok {
					line.File = fmt.Sprintf("%d-%s", seed, line.File)
					lines = append(lines, line)
				}
			}
		},
	})
	if !assert.NoError(t, err) {
		return nil
	}
	random := rand.New(rand.NewPCG(uint64(seed), 2))
	files, err := filepath.Glob(filepath.Join(from, "logs", splitFiles))
	assert.NoError(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		assert.NoError(t, err)
		rest := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		for len(rest) > 0 {
			n := 1 + random.IntN(len(rest))
			collectortest.AppendLines(t, filepath.Join(dir, fmt.Sprintf("%d-%s", seed, filepath.Base(file))), rest[:n]...)
			rest = rest[n:]
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		}
	}
	return lines
}

// delayed returns the address of a proxy for an endpoint, which delays what it gets.
func delayed(t *testing.T, endpoint string, seed uint64) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		random := rand.New(rand.NewPCG(seed, 3))
		in, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = in.Close() }()
		out, err := net.Dial("tcp", endpoint)
		if err != nil {
			return
		}
		defer func() { _ = out.Close() }()
		go func() { _, _ = io.Copy(in, out) }()
		buffer := make([]byte, 1<<16)
		for {
			n, err := in.Read(buffer)
			if err != nil {
				return
			}
			time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
			if _, err := out.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	return listener.Addr().String()
}
