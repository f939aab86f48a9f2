// SPDX-License-Identifier: Apache-2.0

package kafka

import (
	"crypto/tls"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

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
