// SPDX-License-Identifier: Apache-2.0

package security

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A secret is in nothing that the collector shows: its log at the most talkative level while all
// that needs the secret fails, its configuration as it prints it, its pages and its files.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	const redisPassword, kafkaPassword, backendToken, agentsToken = "redis-s3cret", "kafka-s3cret", "backend-s3cret", "agents-s3cret"
	p, nowhere := newPKI(t), "127.0.0.1:1"
	env := map[string]string{
		"OTELCOL_TC_INDEX": "redis", "OTELCOL_TC_REDIS_ENDPOINT": nowhere, "OTELCOL_TC_REDIS_PASSWORD": redisPassword,
		"OTELCOL_TC_KAFKA_BROKERS": `["` + nowhere + `"]`, "OTELCOL_TC_KAFKA_PASSWORD": kafkaPassword, "OTELCOL_TC_KAFKA_CA": p.authority.File,
		"OTELCOL_TC_BACKEND": "http://" + nowhere, "OTELCOL_TC_BACKEND_TOKEN_FILE": string(newTokenFile(t, backendToken)),
		"OTELCOL_TC_AGENT_TOKEN_FILE": string(newTokenFile(t, agentsToken)),
	}
	maps.Copy(env, p.environment())
	configs := append(collectortest.WithFragments("gateway-tls", "gateway-bearer", "gateway-backend-bearer", "gateway-kafka", "gateway-kafka-sasl"),
		"yaml:{extensions: {bearertokenauth/backend: {token: inline-s3cret}}, service: {telemetry: {logs: {level: debug}}}}")
	gateway := collectortest.Start(t, collectortest.Options{Configs: configs, Env: env})
	_, status, err := spanOverHTTP(t, gateway.HTTP, trusting(t, p.authority, "", ""), agentsToken)
	require.NoError(t, err)
	require.Equal(t, collectortest.Accepted, status)
	_, status, err = spanOverHTTP(t, gateway.HTTP, trusting(t, p.authority, "", ""), "guessed-s3cret")
	require.NoError(t, err)
	require.NotEqual(t, collectortest.Accepted, status)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		log := gateway.Logs()
		return strings.Contains(log, "Exporting failed") && strings.Contains(log, "unable to open connection to broker"), "nothing has failed yet"
	})

	shown := map[string]string{"log": gateway.Logs()}
	for name, address := range map[string]string{"page": gateway.Page + "/api/v1/report", "its own metrics": gateway.Telemetry + "/metrics"} {
		content, err := collectortest.GetPage(t.Context(), "http://"+address)
		require.NoError(t, err)
		shown[name] = string(content)
	}
	printed, err := collectortest.RunBare(t, env, "print-config", configs)
	require.NoError(t, err, printed)
	require.Contains(t, printed, "[REDACTED]")
	shown["print-config"] = printed
	shown["files"] = everyFile(t, filepath.Join(gateway.DataDir, "state"))
	for where, text := range shown {
		assert.NotEmpty(t, text, where)
		assert.NotContains(t, text, "s3cret", where)
	}
}
