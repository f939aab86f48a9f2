// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

const (
	// redisPassword is that of the servers that ask for one.
	redisPassword = "correct horse"
	// patient is a timeout that a busy machine does not exceed.
	patient = "timeout: 5s"
	// takeHold is how long spans wait where the index is in Redis.
	takeHold = time.Second
)

// inRedis are the settings of a collector whose index is in Redis.
func inRedis(endpoint, more string) linking {
	return linking{
		index: fmt.Sprintf("backend: redis, redis: {endpoint: %q, %s}", endpoint, more),
		spans: payload.RulesOfJobs(takeHold),
		logs:  payload.RulesOfJobs(takeHold) + fmt.Sprintf(", hold: %s", takeHold),
	}
}

// Two collectors that share an index: each links what came through the other.
func TestCollectorsShareRedis(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, settings linking) {
		one, two := settings.start(t), settings.start(t)
		awaitRedis(t, one)
		awaitRedis(t, two)
		failures := redisFailures(t, one) + redisFailures(t, two)

		put := payload.PostJob(t, one, payload.PutName, "a")
		get := payload.PostJob(t, two, payload.GetName, "a")
		awaitLink(t, two, get, backward("handoff", put, get))

		// The later stage came first.
		get = payload.PostJob(t, two, payload.GetName, "b")
		put = payload.PostJob(t, one, payload.PutName, "b")
		awaitLink(t, one, put, judge.Link{Earlier: put, Later: get, Rule: "handoff", Evidence: "span", Forward: true})

		// It waits, while the earlier stage comes.
		took := payload.PostJob(t, two, payload.TakeName, "c")
		put = payload.PostJob(t, one, payload.PutName, "c")
		awaitLink(t, two, took, backward("held", put, took))

		// A log and its span.
		collectortest.PostLogs(t, one, payload.JobLogs("d"))
		run := payload.PostJob(t, two, payload.RunName, "d")
		for record := range collectortest.Records(collectortest.AwaitRecords(t, one, 1)) {
			assert.Equal(t, run, judge.SpanOf(record))
		}
		assert.Equal(t, failures, redisFailures(t, one)+redisFailures(t, two))
	}
	t.Run("in plain text", func(t *testing.T) {
		t.Parallel()
		check(t, inRedis(servers.StartRedis(t, "--port").Address, patient))
	})
	t.Run("with TLS and a password", func(t *testing.T) {
		t.Parallel()
		ca := collectortest.NewAuthority(t)
		check(t, inRedis(startRedisTLS(t, ca).Address, fmt.Sprintf("%s, password: %q, tls: {ca_file: %q}", patient, redisPassword, ca.File)))
	})
	t.Run("with a user of an access list", func(t *testing.T) {
		t.Parallel()
		// The rights that README.md of the extension names.
		redis := servers.StartRedis(t, "--port", "--user", "otelcol", "on", ">"+redisPassword, "~otelcol_tc:*", "-@all", "+hello", "+evalsha",
			"+eval", "+lrange", "+ltrim", "+lset", "+rpush", "+del", "+pexpire", "+time", "--user", "default", "off")
		check(t, inRedis(redis.Address, fmt.Sprintf("%s, username: otelcol, password: %q", patient, redisPassword)))
	})
	t.Run("in a cluster", func(t *testing.T) {
		t.Parallel()
		check(t, inRedis("", fmt.Sprintf("%s, addresses: %s, cluster: true", patient, startRedisCluster(t))))
	})
	t.Run("with Sentinels", func(t *testing.T) {
		t.Parallel()
		_, addresses := startRedisSentinels(t)
		check(t, inRedis("", fmt.Sprintf("%s, addresses: %s, master_name: links", patient, addresses)))
	})
}

// awaitRedis waits until a collector has reached Redis: it starts without. It returns the
// spans that it has sent to find out.
func awaitRedis(t *testing.T, c *collectortest.Collector) (sent []scenario.SpanRef) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		before := redisFailures(t, c)
		sent = append(sent, payload.PostJob(t, c, payload.PutName, payload.NewSpanRef().SpanID.String()))
		return redisFailures(t, c) == before, "Redis is not reached"
	})
	return sent
}

// redisFailures is how many batches found no Redis.
func redisFailures(t *testing.T, c *collectortest.Collector) float64 {
	t.Helper()
	return collectortest.SelfCount(t, c, "correlation_index_failures", nil)
}

// startRedisTLS runs a server with a certificate of an authority, and a password.
func startRedisTLS(t *testing.T, ca *collectortest.Authority) *servers.Redis {
	t.Helper()
	certificate, key := ca.Server(t)
	return servers.StartRedis(t, "--tls-port", "--port", "0", "--requirepass", redisPassword,
		"--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", ca.File, "--tls-auth-clients", "no")
}

// awaitLinkAfter waits until a pair is linked that was sent after so many others.
func awaitLinkAfter(t *testing.T, l *load, c *collectortest.Collector, others int) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		linked := map[scenario.SpanRef]bool{}
		for _, link := range allDerivedLinks(c.Traces(t)) {
			linked[link.Later] = true
		}
		for _, get := range l.getsAfter(others) {
			if linked[get] {
				return true, ""
			}
		}
		return false, "no link"
	})
}

// requireTruePairs checks that every link is between the two spans of one job, and that
// all are linked from one of them on.
func requireTruePairs(t *testing.T, c *collectortest.Collector, puts, gets []scenario.SpanRef, from int) {
	t.Helper()
	put := map[scenario.SpanRef]scenario.SpanRef{}
	for i := range gets {
		put[gets[i]] = puts[i]
	}
	links := allDerivedLinks(c.Traces(t))
	linked := map[scenario.SpanRef]bool{}
	for _, link := range links {
		require.Equal(t, put[link.Later], link.Earlier)
		linked[link.Later] = true
	}
	for i, get := range gets[from:] {
		require.True(t, linked[get], "pair %d after Redis was back", i)
	}
	t.Logf("%d of %d pairs linked", len(links), len(gets))
}

// load sends pairs of spans, the earlier ones to one collector and the later to another,
// all the time.
type load struct {
	stop  context.CancelFunc
	ended chan struct{}
	err   error // set when it has ended

	mu         sync.Mutex
	puts, gets []scenario.SpanRef // guarded by mu
}

func startLoad(t *testing.T, one, two *collectortest.Collector) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop, ended: make(chan struct{})}
	first, second := newSender(t, one), newSender(t, two)
	go func() {
		defer close(l.ended)
		for l.err == nil && ctx.Err() == nil {
			l.err = l.send(first, second)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-l.ended
	})
	return l
}

func (l *load) send(first, second *sender) error {
	time.Sleep(time.Millisecond) // there is something else to do for this machine
	key := fmt.Sprint("job-", l.sent())
	puts, put := payload.Job(payload.PutName, key)
	if _, err := first.traces.Export(context.Background(), ptraceotlp.NewExportRequestFromTraces(puts)); err != nil {
		return err
	}
	gets, get := payload.Job(payload.GetName, key)
	if _, err := second.traces.Export(context.Background(), ptraceotlp.NewExportRequestFromTraces(gets)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.puts, l.gets = append(l.puts, put), append(l.gets, get)
	return nil
}

// sent is how many pairs were sent.
func (l *load) sent() int { return len(l.getsAfter(0)) }

// getsAfter returns the later spans of all pairs but so many.
func (l *load) getsAfter(others int) []scenario.SpanRef {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gets[others:]
}

// end stops the load and returns all that was sent.
func (l *load) end(t *testing.T) (puts, gets []scenario.SpanRef) {
	t.Helper()
	l.stop()
	<-l.ended
	require.NoError(t, l.err)
	return l.puts, l.gets
}

// An index that cannot be had: everything passes without links, and is counted. The collector ends
// in time.
func TestWithoutRedis(t *testing.T) {
	t.Parallel()
	ca, other := collectortest.NewAuthority(t), collectortest.NewAuthority(t)
	for name, settings := range map[string]func() linking{
		"nobody listens": func() linking {
			address := collectortest.FreeAddress(t)
			return inRedis(address, patient)
		},
		"wrong password": func() linking {
			return inRedis(startRedisTLS(t, ca).Address, fmt.Sprintf("%s, password: wrong, tls: {ca_file: %q}", patient, ca.File))
		},
		"certificate of another authority": func() linking {
			return inRedis(startRedisTLS(t, ca).Address, fmt.Sprintf("%s, password: %q, tls: {ca_file: %q}", patient, redisPassword, other.File))
		},
		"plain text to TLS": func() linking {
			return inRedis(startRedisTLS(t, ca).Address, fmt.Sprintf("%s, password: %q", patient, redisPassword))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkUnlinked(t, settings().start(t), nil)
		})
	}
	t.Run("hangs", func(t *testing.T) {
		t.Parallel()
		redis := servers.StartRedis(t, "--port")
		c := inRedis(redis.Address, "timeout: 200ms").start(t)
		sent := awaitRedis(t, c)
		require.NoError(t, redis.Process.Signal(syscall.SIGSTOP))
		t.Cleanup(func() { redis.Kill(t) }) // it does not hear SIGTERM
		checkUnlinked(t, c, sent)
	})
}

// checkUnlinked sends jobs until the index has been tried again. Spans were sent before.
func checkUnlinked(t *testing.T, c *collectortest.Collector, sent []scenario.SpanRef) {
	t.Helper()
	before, logs := len(sent), 0
	failed := redisFailures(t, c)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		key := fmt.Sprint("job-", len(sent))
		for _, name := range []string{payload.PutName, payload.GetName, payload.TakeName} {
			sent = append(sent, payload.PostJob(t, c, name, key))
		}
		collectortest.PostLogs(t, c, payload.JobLogs(key))
		logs++
		return redisFailures(t, c) >= failed+20, "the index is not tried"
	})
	// What waits is released without links, and so are logs.
	assert.Empty(t, allDerivedLinks(collectortest.AwaitSpans(t, c, len(sent))))
	collectortest.AwaitRecords(t, c, logs)
	assert.GreaterOrEqual(t, collectortest.SelfCount(t, c, "span_link_unlinked", nil), float64(len(sent)-before))
	assert.Contains(t, c.Logs(), "Redis is away")
	require.Zero(t, c.Stop(t).Code)
	requireOnce(t, c.Traces(t), sent...)
	assert.Equal(t, logs, c.LogRecords(t).LogRecordCount())
}
