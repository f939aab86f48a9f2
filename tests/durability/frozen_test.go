// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

const (
	shortPatience = 2 * time.Second
	// frozenStopLimit: an attempt that begins as the signal comes may take all of the patience, and the rest takes no
	// longer than with gateways that answer.
	frozenStopLimit = shortPatience + collectortest.StopLimit
)

// An agent whose gateways take connections and never answer ends in time, and what it has accepted, or was in files,
// is delivered after a restart: whether they froze before its start, under load, or long ago.
func TestEndsWhileGatewaysAreFrozen(t *testing.T) {
	t.Parallel()
	f := func(name string, before, spilling bool) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gateways := []*collectortest.Collector{startPlainGateway(t), startPlainGateway(t)}
			dir := t.TempDir()
			options := collectortest.Options{
				Configs: []string{"builtin:agent"},
				Env: map[string]string{
					"OTELCOL_TC_GATEWAYS":        fmt.Sprintf("[%q, %q]", gateways[0].GRPC, gateways[1].GRPC),
					"OTELCOL_TC_STATE":           filepath.Join(dir, "state"),
					"OTELCOL_TC_PATIENCE":        shortPatience.String(),
					"OTELCOL_TC_LOG_FILES":       fmt.Sprintf("[%q]", filepath.Join(dir, "*.log")),
					"OTELCOL_TC_POD_LOG_FILES":   fmt.Sprintf("[%q]", filepath.Join(dir, "pods/*/*/*.log")),
					"OTELCOL_TC_KUBERNETES_AUTH": "kubeConfig", "KUBECONFIG": kubeconfigOfNobody(t),
				},
			}
			freeze := func() {
				for _, gateway := range gateways {
					gateway.Signal(t, syscall.SIGSTOP)
				}
			}
			if before {
				freeze()
			}
			agent := collectortest.Start(t, options)
			load := startMixedLoad(t, agent, dir)
			if !before {
				load.await(t, 30)
				freeze()
			}
			if spilling {
				collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
					metrics := agent.SelfMetrics(t)["otelcol_spillover_state"]
					return collectortest.Sum(metrics, map[string]string{"state": "spilling"}) == 3, "not all signals wait on the disk"
				})
			}
			exit := agent.Stop(t)
			load.stop()
			assert.Zero(t, exit.Code)
			collectortest.Within(t, exit.Took, frozenStopLimit)
			t.Logf("ended after %s", exit.Took.Round(100*time.Millisecond))

			for _, gateway := range gateways {
				gateway.Signal(t, syscall.SIGCONT)
			}
			collectortest.Start(t, options)
			collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
				arrived := payload.ArrivedFrom(t, gateways...)
				missing := 0
				for _, key := range load.accepted {
					if arrived[key] == 0 {
						missing++
					}
				}
				return missing == 0, fmt.Sprintf("%d of %d that were accepted are missing", missing, len(load.accepted))
			})
		})
	}
	f("before the start", true, true)
	f("a moment ago", false, false)
	f("for long", false, true)
}

// startPlainGateway starts a gateway that writes what it gets to files.
func startPlainGateway(t *testing.T) *collectortest.Collector {
	t.Helper()
	gateway := collectortest.Start(t, collectortest.Options{Configs: []string{collectortest.PlainBackend}})
	// A process that is frozen does not end.
	t.Cleanup(func() { gateway.Signal(t, syscall.SIGCONT) })
	return gateway
}

// mixedLoad sends all signals over both protocols, and writes into log files, until it is stopped.
type mixedLoad struct {
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu       sync.Mutex
	accepted []string // keys of payload.Arrived; guarded by mu until stop
}

func startMixedLoad(t *testing.T, c *collectortest.Collector, dir string) *mixedLoad {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &mixedLoad{cancel: cancel}
	t.Cleanup(l.stop)
	repeat := func(send func(n int) (key string, accepted bool)) {
		l.ended.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if key, accepted := send(n); accepted {
					l.mu.Lock()
					l.accepted = append(l.accepted, key)
					l.mu.Unlock()
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	post := func(path string, body []byte, err error) bool {
		return err == nil && accepts(ctx, "http://"+c.HTTP+path, body)
	}
	connection, err := grpc.NewClient(c.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	for sender := range 4 {
		repeat(func(int) (string, bool) {
			traces, ref := payload.Job("Worker/Run", "")
			_, err := ptraceotlp.NewGRPCClient(connection).Export(context.WithoutCancel(ctx), ptraceotlp.NewExportRequestFromTraces(traces))
			return ref.SpanID.String(), err == nil
		})
		repeat(func(n int) (string, bool) {
			service := fmt.Sprintf("jobs-%d-%d", sender, n)
			body, err := pmetricotlp.NewExportRequestFromMetrics(payload.Gauge(service, "tc_jobs")).MarshalProto()
			return service, post("/v1/metrics", body, err)
		})
		repeat(func(n int) (string, bool) {
			logs := payload.JobLogs(fmt.Sprintf("%d-%d", sender, n))
			body, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
			return logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str(), post("/v1/logs", body, err)
		})
	}
	pod := filepath.Join(dir, "pods", "ns_pod_8e9d1c2a-0000-4000-8000-000000000001", "main", "0.log")
	require.NoError(t, os.MkdirAll(filepath.Dir(pod), 0o755))
	repeat(func(n int) (string, bool) {
		line := fmt.Sprintf("line %d of a pod", n)
		collectortest.AppendLines(t, pod, time.Now().UTC().Format(time.RFC3339Nano)+" stdout F "+line)
		return line, true
	})
	repeat(func(n int) (string, bool) {
		line := fmt.Sprintf("line %d of a file", n)
		collectortest.AppendLines(t, filepath.Join(dir, "app.log"), line)
		return line, true
	})
	return l
}

// accepts sends a request and reports whether it was accepted.
func accepts(ctx context.Context, url string, body []byte) bool {
	request, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false // as when the process has ended
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// await waits until so many more were accepted.
func (l *mixedLoad) await(t *testing.T, more int) {
	t.Helper()
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.accepted)
	}
	before := count()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return count() >= before+more, fmt.Sprintf("%d of %d more were accepted", count()-before, more)
	})
}

func (l *mixedLoad) stop() {
	l.cancel()
	l.ended.Wait()
}
