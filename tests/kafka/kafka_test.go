// SPDX-License-Identifier: Apache-2.0

package kafka

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// kafkaTimeout is for what waits for a consumer group, whose members are asked every few seconds,
// or for the retries of both sides.
const kafkaTimeout = 2 * time.Minute

// kafkaLoad is what was sent through agents, each thing with a name of its own.
type kafkaLoad struct {
	spans, logs, series []string
}

// send sends so many of each signal, each in a request of its own, as different traces and services.
func (l *kafkaLoad) send(t *testing.T, agent *collectortest.Collector, prefix string, n int) {
	t.Helper()
	for _, name := range payload.Numbered(prefix, n) {
		ref := payload.PostJob(t, agent, payload.PutName, name)
		l.spans = append(l.spans, ref.SpanID.String())
		collectortest.PostLogs(t, agent, payload.JobLogs(name))
		l.logs = append(l.logs, "job "+name+" is done")
		collectortest.PostMetrics(t, agent, payload.Gauge(name, "tc_jobs"))
		l.series = append(l.series, name)
	}
}

// await waits until all that was sent has come, and returns what came more than once.
func (l *kafkaLoad) await(t *testing.T, outputs ...*collectortest.Collector) (doubled []string) {
	t.Helper()
	sent := slices.Concat(l.spans, l.logs, l.series)
	var arrived payload.Arrived
	collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
		arrived = payload.ArrivedFrom(t, outputs...)
		missing := slices.DeleteFunc(slices.Clone(sent), func(name string) bool { return arrived[name] > 0 })
		return len(missing) == 0, fmt.Sprintf("%d of %d are missing", len(missing), len(sent))
	})
	return slices.DeleteFunc(sent, func(name string) bool { return arrived[name] == 1 })
}

// All signals go from an agent through Kafka to a gateway, and so do the lines of files, each thing
// once.
func TestKafkaCarriesAllSignals(t *testing.T) {
	t.Parallel()
	broker, load := startKafka(t), kafkaLoad{}
	env, file := broker.environment(), filepath.Join(t.TempDir(), "worker.log")
	env["OTELCOL_TC_LOG_FILES"] = fmt.Sprintf("[%q]", file)
	agent := kafkaAgent(t, env)
	collectortest.AppendLines(t, file, "job of a file is done")
	load.logs = append(load.logs, "job of a file is done")
	// What is written before the first gateway comes is not lost.
	load.send(t, agent, "early", 10)
	_, files := collectortest.FileGateway(t, broker.environment(), "builtin:fragments/gateway-kafka")
	load.send(t, agent, "late", 10)
	assert.Empty(t, load.await(t, files), "doubled")
}

// A line that is longer than a message may be comes in parts, and delays no other line.
func TestKafkaLongLine(t *testing.T) {
	t.Parallel()
	broker, load := startKafka(t), kafkaLoad{}
	env, file := broker.environment(), filepath.Join(t.TempDir(), "worker.log")
	env["OTELCOL_TC_LOG_FILES"] = fmt.Sprintf("[%q]", file)
	collectortest.AppendLines(t, file, "job before is done", strings.Repeat("x", 1_000_000), strings.Repeat("\xffa", 500_000), "job behind is done")
	load.logs = []string{"job before is done", "job behind is done"}
	kafkaAgent(t, env)
	_, files := collectortest.FileGateway(t, broker.environment(), "builtin:fragments/gateway-kafka")
	assert.Empty(t, load.await(t, files), "doubled")
}

// A span that is larger than a message may be is set aside alone, directly, where its sender is told, and from the queue.
func TestKafkaLargeSpan(t *testing.T) {
	t.Parallel()
	broker, load := startKafka(t), kafkaLoad{}
	env := broker.environment()
	env["OTELCOL_TC_STATE"] = t.TempDir()
	agent := kafkaAgent(t, env, "yaml:processors::naming::max_value_bytes: 0")
	send := func(job string, want int) {
		traces, ref := payload.Job(payload.PutName, job)
		spans := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
		large := spans.AppendEmpty()
		spans.At(0).CopyTo(large)
		large.SetSpanID([8]byte{9})
		large.Attributes().PutStr("tc.text", strings.Repeat("y", 1_500_000))
		load.spans = append(load.spans, ref.SpanID.String())
		body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
		require.NoError(t, err)
		require.Equal(t, want, collectortest.Post(t, agent, "/v1/traces", body, ""))
	}
	send("direct", http.StatusInternalServerError)
	broker.stop()
	send("queued", collectortest.Accepted)
	broker.start(t)
	_, files := collectortest.FileGateway(t, broker.environment(), "builtin:fragments/gateway-kafka")
	load.send(t, agent, "behind", 2)
	load.await(t, files)
	collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
		letters, err := os.ReadFile(filepath.Join(env["OTELCOL_TC_STATE"], "spillover", "spillover", "traces", "dead_letter.jsonl"))
		return strings.Count(string(letters), `"spanId"`) == 2, fmt.Sprint(len(letters), err)
	})
}

// A gateway is killed while it reads, and started again: nothing is lost. What comes twice was
// under way at the kill; what was before it and is after it comes once.
func TestKafkaGatewayKilledLosesNothingAndDoublesLittle(t *testing.T) {
	t.Parallel()
	broker := startKafka(t)
	agent := kafkaAgent(t, broker.environment())
	backend, backendFiles := collectortest.FileGateway(t, map[string]string{})
	env := broker.environment()
	env["OTELCOL_TC_BACKEND"] = "http://" + backend.HTTP
	env["OTELCOL_TC_STATE"] = t.TempDir()
	start := func() *collectortest.Collector {
		return collectortest.Start(t, collectortest.Options{Configs: collectortest.WithFragments("gateway-kafka"), Env: env})
	}
	gateway := start()
	load := kafkaLoad{}
	load.send(t, agent, "before", 20)
	require.Empty(t, load.await(t, backendFiles))
	broker.awaitCommitted(t)
	before := slices.Concat(load.spans, load.logs, load.series)

	for i := range 4 {
		load.send(t, agent, fmt.Sprintf("during-%d", i), 20)
	}
	collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
		return len(payload.ArrivedFrom(t, backendFiles)) > len(before), "nothing has come of what is under way"
	})
	gateway.Kill(t)
	underWay := len(load.spans) + len(load.logs) + len(load.series) - len(before)
	load.send(t, agent, "away", 20)
	start()
	load.send(t, agent, "after", 20)
	doubled := load.await(t, backendFiles)
	t.Logf("%d sent, %d of them around the kill; lost 0, doubled %d", len(load.spans)+len(load.logs)+len(load.series), underWay, len(doubled))
	assert.LessOrEqual(t, len(doubled), underWay)
	for _, name := range doubled {
		assert.NotContains(t, before, name)
	}
	broker.awaitCommitted(t)
}

// While the broker is away the agent holds on disk what it takes, though it is killed, and delivers
// it when the broker is back. (Told to end, it would wait for the broker: a message that may have
// been written cannot be taken back. It ends by being killed.)
func TestKafkaBrokerAway(t *testing.T) {
	t.Parallel()
	broker, load := startKafka(t), kafkaLoad{}
	_, files := collectortest.FileGateway(t, broker.environment(), "builtin:fragments/gateway-kafka")
	env := broker.environment()
	env["OTELCOL_TC_STATE"] = t.TempDir()
	agent := kafkaAgent(t, env)
	load.send(t, agent, "before", 5)
	assert.Empty(t, load.await(t, files))

	broker.stop()
	load.send(t, agent, "away", 20)
	agent.Kill(t)
	agent = kafkaAgent(t, env)
	load.send(t, agent, "again", 5)
	broker.start(t)
	doubled := load.await(t, files)
	t.Logf("%d sent, lost 0, doubled %d", len(load.spans)+len(load.logs)+len(load.series), len(doubled))
}

// A gateway that can take nothing more, since its backend is away and its queue full, reads on when
// it can: what it refused is still in Kafka.
func TestKafkaWaitsForTheGateway(t *testing.T) {
	t.Parallel()
	broker, load := startKafka(t), kafkaLoad{}
	address := collectortest.FreeAddress(t)
	env := broker.environment()
	env["OTELCOL_TC_BACKEND"] = "http://" + address
	gateway := collectortest.Start(t, collectortest.Options{
		Configs: append(collectortest.WithFragments("gateway-kafka"),
			"yaml:{connectors: {spillover: {queue_size: 4000, batch: {min_size: 1000, max_size: 2000}}}, exporters: {otlp_http: {retry_on_failure: {enabled: false}}}}"),
		Env: env,
	})
	load.send(t, kafkaAgent(t, broker.environment()), "waiting", 60)
	collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
		return strings.Contains(gateway.Logs(), "Backing off due to error from the next consumer"), "the gateway has refused nothing"
	})
	_, files := collectortest.FileGateway(t, map[string]string{"OTELCOL_TC_OTLP_HTTP_ENDPOINT": address})
	doubled := load.await(t, files)
	t.Logf("%d sent, lost 0, doubled %d", len(load.spans)+len(load.logs)+len(load.series), len(doubled))
	broker.awaitCommitted(t)
}

// Messages that are no OTLP are left out and counted, and what is behind them in their partitions
// arrives.
func TestKafkaPoisonDoesNotBlock(t *testing.T) {
	t.Parallel()
	broker, load := startKafka(t), kafkaLoad{}
	client := broker.client(t)
	for _, topic := range kafkaTopics {
		for partition := range int32(kafkaPartitions) {
			poison := &kgo.Record{Topic: topic, Partition: partition, Value: []byte("\xff\xff\xff not OTLP")}
			require.NoError(t, client.ProduceSync(t.Context(), poison).FirstErr())
		}
	}
	// A value that is nested as deep as a message may hold: decoders, encoders and walks are recursive. The decoder
	// refuses it.
	nested := &kgo.Record{Topic: kafkaTopics[0], Value: payload.NestedValues(100_000)}
	require.NoError(t, client.ProduceSync(t.Context(), nested).FirstErr())
	gateway, files := collectortest.FileGateway(t, broker.environment(), "builtin:fragments/gateway-kafka")
	load.send(t, kafkaAgent(t, broker.environment()), "behind", 20)
	assert.Empty(t, load.await(t, files))
	broker.awaitCommitted(t)
	for counter, want := range map[string]int{"spans": kafkaPartitions + 1, "metric_points": kafkaPartitions, "log_records": kafkaPartitions} {
		assert.InDelta(t, want, collectortest.SelfCount(t, gateway, "kafka_receiver_unmarshal_failed_"+counter, nil), 0, counter)
	}
}

// Two gateways in one consumer group share the partitions: each thing comes out of one of them,
// and each resource's metrics out of the same one always.
func TestKafkaTwoGateways(t *testing.T) {
	t.Parallel()
	broker, load := startKafka(t), kafkaLoad{}
	agent := kafkaAgent(t, broker.environment())
	_, first := collectortest.FileGateway(t, broker.environment(), "builtin:fragments/gateway-kafka")
	_, second := collectortest.FileGateway(t, broker.environment(), "builtin:fragments/gateway-kafka")
	broker.awaitMembers(t, 2)

	load.send(t, agent, "once", 30)
	assert.Empty(t, load.await(t, first, second), "doubled")
	// The same services again, later.
	again := kafkaLoad{}
	for _, name := range load.series {
		collectortest.PostMetrics(t, agent, payload.Gauge(name, "tc_jobs"))
	}
	again.send(t, agent, "last", 1)
	again.await(t, first, second)
	collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
		arrived := payload.ArrivedFrom(t, first, second)
		missing := slices.DeleteFunc(slices.Clone(load.series), func(name string) bool { return arrived[name] == 2 })
		return len(missing) == 0, fmt.Sprintf("%d services have not come twice", len(missing))
	})
	byFirst, bySecond := payload.ArrivedFrom(t, first), payload.ArrivedFrom(t, second)
	for _, name := range load.series {
		assert.True(t, byFirst[name] == 0 || bySecond[name] == 0, "%s: %d and %d", name, byFirst[name], bySecond[name])
	}
	t.Logf("%d things came out of one gateway, %d of the other", len(byFirst), len(bySecond))
	assert.NotEmpty(t, byFirst)
	assert.NotEmpty(t, bySecond)
}

// Over TLS, and with a password, an agent and a gateway meet at a broker; one who has another
// password does not get in.
func TestKafkaOverTLSWithAPassword(t *testing.T) {
	t.Parallel()
	a := collectortest.NewAuthority(t)
	pair, err := tls.LoadX509KeyPair(a.Server(t))
	require.NoError(t, err)
	broker := startKafka(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}}),
		kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "otelcol-tc", "right"))
	env := func(password string) map[string]string {
		env := broker.environment()
		maps.Copy(env, map[string]string{"OTELCOL_TC_KAFKA_CA": a.File, "OTELCOL_TC_KAFKA_PASSWORD": password})
		return env
	}
	stranger := kafkaAgent(t, env("wrong"), "builtin:fragments/agent-kafka-sasl")
	agent := kafkaAgent(t, env("right"), "builtin:fragments/agent-kafka-sasl")
	var forged, load kafkaLoad
	forged.send(t, stranger, "forged", 3)
	collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
		return strings.Contains(stranger.Logs(), "kafka records export failed"), "the stranger has not tried yet"
	})
	_, files := collectortest.FileGateway(t, env("right"), "builtin:fragments/gateway-kafka", "builtin:fragments/gateway-kafka-sasl")
	load.send(t, agent, "good", 3)
	assert.Empty(t, load.await(t, files), "doubled")
	arrived := payload.ArrivedFrom(t, files)
	for _, name := range forged.spans {
		assert.Zero(t, arrived[name])
	}
	// Told to end, the stranger would first wait for answers that the broker does not give.
	stranger.Kill(t)
}
