// SPDX-License-Identifier: Apache-2.0

package kafka

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const (
	kafkaPartitions = 4
	kafkaGroup      = "otelcol-tc-gateway"
)

// kafkaTopics are those of the fragments, by signal.
var kafkaTopics = []string{"otlp_spans", "otlp_metrics", "otlp_logs"}

// kafkaBroker speaks Kafka's protocol on loopback, in the test's process. What it has taken it
// still has when it stops and starts again.
type kafkaBroker struct {
	address string
	options []kfake.Opt
	cluster *kfake.Cluster // nil when it is stopped
}

func startKafka(t *testing.T, options ...kfake.Opt) *kafkaBroker {
	t.Helper()
	address := collectortest.FreeAddress(t)
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	b := &kafkaBroker{address: address, options: append(options,
		kfake.NumBrokers(1), kfake.Ports(number), kfake.DataDir(t.TempDir()), kfake.SeedTopics(kafkaPartitions, kafkaTopics...))}
	b.start(t)
	t.Cleanup(b.stop)
	return b
}

func (b *kafkaBroker) start(t *testing.T) {
	t.Helper()
	cluster, err := kfake.NewCluster(b.options...)
	require.NoError(t, err)
	b.cluster = cluster
}

func (b *kafkaBroker) stop() {
	if b.cluster != nil {
		b.cluster.Close()
		b.cluster = nil
	}
}

// environment points both fragments to the broker.
func (b *kafkaBroker) environment() map[string]string {
	return map[string]string{"OTELCOL_TC_KAFKA_BROKERS": fmt.Sprintf("[%q]", b.address)}
}

// kafkaAgent is an agent on a machine without Kubernetes that writes to a broker.
func kafkaAgent(t *testing.T, env map[string]string, more ...string) *collectortest.Collector {
	t.Helper()
	env["OTELCOL_TC_HOST_INTERVAL"] = "1h"
	return collectortest.Start(t, collectortest.Options{
		Configs: append(collectortest.WithFragments("agent-host", "agent-kafka"), more...), Env: env,
	})
}

// client asks the broker itself.
func (b *kafkaBroker) client(t *testing.T) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.address), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// awaitCommitted waits until the group has committed all that was written.
func (b *kafkaBroker) awaitCommitted(t *testing.T) {
	t.Helper()
	admin := kadm.NewClient(b.client(t))
	collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
		var behind int64
		lags, err := admin.Lag(context.Background(), kafkaGroup)
		if err != nil {
			return false, err.Error()
		}
		for _, lag := range lags {
			behind += lag.Lag.Total()
		}
		return len(lags) == 1 && behind == 0, fmt.Sprintf("%d messages are not committed", behind)
	})
}

// awaitMembers waits until so many gateways share the partitions of each topic evenly.
func (b *kafkaBroker) awaitMembers(t *testing.T, gateways int) {
	t.Helper()
	admin := kadm.NewClient(b.client(t))
	collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
		groups, err := admin.DescribeGroups(context.Background(), kafkaGroup)
		if err != nil {
			return false, err.Error()
		}
		group, shares := groups[kafkaGroup], map[string][]int{}
		for _, member := range group.Members {
			if assigned, ok := member.Assigned.AsConsumer(); ok {
				for _, topic := range assigned.Topics {
					shares[topic.Topic] = append(shares[topic.Topic], len(topic.Partitions))
				}
			}
		}
		even := group.State == "Stable" && len(shares) == len(kafkaTopics)
		for _, share := range shares {
			even = even && len(share) == gateways
			for _, partitions := range share {
				even = even && partitions == kafkaPartitions/gateways
			}
		}
		return even, fmt.Sprintf("the group is %s, shares are %v", group.State, shares)
	})
}
