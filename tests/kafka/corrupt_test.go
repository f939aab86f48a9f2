// SPDX-License-Identifier: Apache-2.0

package kafka

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// produceCompressed writes a batch of one record with the given compressed bytes to a partition of the spans.
func (b *kafkaBroker) produceCompressed(t *testing.T, partition int32, compressed []byte) {
	t.Helper()
	const zstdCompressed = 4
	batch := kmsg.RecordBatch{
		PartitionLeaderEpoch: -1, Magic: 2, Attributes: zstdCompressed, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1,
		NumRecords: 1, Records: compressed,
	}
	const beforeLength, beforeCRC = 12, 21
	batch.Length = int32(len(batch.AppendTo(nil)) - beforeLength)
	batch.CRC = int32(crc32.Checksum(batch.AppendTo(nil)[beforeCRC:], crc32.MakeTable(crc32.Castagnoli)))

	written := kmsg.NewProduceRequestTopicPartition()
	written.Partition, written.Records = partition, batch.AppendTo(nil)
	topic := kmsg.NewProduceRequestTopic()
	topic.Topic, topic.Partitions = kafkaTopics[0], append(topic.Partitions, written)
	request := kmsg.NewPtrProduceRequest()
	request.Acks, request.TimeoutMillis, request.Topics = -1, 10_000, append(request.Topics, topic)
	client, err := kgo.NewClient(kgo.SeedBrokers(b.address), kgo.MaxVersions(kversion.V2_8_0()))
	require.NoError(t, err)
	defer client.Close()
	response, err := request.RequestWith(t.Context(), client)
	require.NoError(t, err)
	require.Zero(t, response.Topics[0].Partitions[0].ErrorCode, response.Topics[0].Partitions[0].ErrorMessage)
}

// A batch that cannot be decompressed stops its partition. What is in the other ones arrives, and no more is
// decompressed than the gateway has memory for.
func TestKafkaCorruptBatch(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	writer, err := zstd.NewWriter(&bomb)
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	for range 200 {
		_, err = writer.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	for name, compressed := range map[string][]byte{"garbage": []byte("not zstd"), "bomb": bomb.Bytes()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broker := startKafka(t)
			broker.produceCompressed(t, 0, compressed)
			client := broker.client(t)
			var sent []string
			for i := range 40 {
				traces, ref := payload.Job(payload.PutName, fmt.Sprint("beside ", i))
				value, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
				require.NoError(t, err)
				record := &kgo.Record{Topic: kafkaTopics[0], Partition: int32(1 + i%(kafkaPartitions-1)), Value: value}
				require.NoError(t, client.ProduceSync(t.Context(), record).FirstErr())
				sent = append(sent, ref.SpanID.String())
			}
			gateway, files := collectortest.FileGateway(t, broker.environment(), "builtin:fragments/gateway-kafka")
			collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
				arrived := payload.ArrivedFrom(t, files)
				missing := slices.DeleteFunc(slices.Clone(sent), func(name string) bool { return arrived[name] > 0 })
				return len(missing) == 0, fmt.Sprintf("%d of %d are missing", len(missing), len(sent))
			})
			collectortest.Eventually(t, kafkaTimeout, func() (bool, string) {
				return strings.Contains(gateway.Logs(), "consumer fetch error"), "nobody is told"
			})
			assert.Equal(t, 0, gateway.Stop(t).Code)
		})
	}
}
