// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// A real Redis with the arguments of the chart's, and two gateways with the chart's environment: a pair whose spans
// reach different gateways is linked, and Redis lets nobody in without the password.
func TestKubernetesChartRedis(t *testing.T) {
	t.Parallel()
	objects := renderObjects(t, chartTemplate("--set", "redis.enabled=true"))
	template := objectsOf[*appsv1.Deployment](objects)[0].Spec.Template
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	assert.Empty(t, forbidden(t, pod, api.LevelRestricted).ForbiddenReasons)
	container := template.Spec.Containers[0]
	require.Equal(t, []string{"redis-server"}, container.Command)
	secret := objectsOf[*corev1.Secret](objects)[0]
	password := string(secret.Data["password"])
	require.NotEmpty(t, password)
	require.Equal(t, secret.Name, container.Env[0].ValueFrom.SecretKeyRef.Name)
	var args []string
	for _, arg := range container.Args {
		args = append(args, strings.ReplaceAll(arg, "$(REDIS_PASSWORD)", password))
	}
	redis := servers.StartRedis(t, "--port", args...)

	backend := collectortest.Start(t, collectortest.Options{Configs: []string{collectortest.PlainBackend}})
	gateway := func(password string) *collectortest.Collector {
		env := map[string]string{"OTELCOL_TC_BACKEND": "http://" + backend.HTTP}
		for _, variable := range podIn(t, objects, kubeserver.GatewayNamespace).Spec.Containers[0].Env {
			switch variable.Name {
			case "OTELCOL_TC_INDEX":
				env[variable.Name] = variable.Value
			case "OTELCOL_TC_REDIS_ENDPOINT":
				service := objectNamed[*corev1.Service](objects, strings.TrimSuffix(variable.Value, ":6379"))
				require.Equal(t, kubeserver.GatewayNamespace, service.Namespace)
				env[variable.Name] = redis.Address
			case "OTELCOL_TC_REDIS_PASSWORD":
				require.Equal(t, secret.Name, variable.ValueFrom.SecretKeyRef.Name)
				env[variable.Name] = password
			case "OTELCOL_TC_INDEX_KEY":
				require.Equal(t, secret.Name, variable.ValueFrom.SecretKeyRef.Name)
				env[variable.Name] = string(secret.Data[variable.ValueFrom.SecretKeyRef.Key])
				require.NotEmpty(t, env[variable.Name])
			}
		}
		require.Len(t, env, 5)
		return collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:gateway",
			fmt.Sprintf("yaml:{extensions: {correlation_index: {redis: {timeout: 5s}}}, processors: {span_link: {%s}}}", payload.RulesOfJobs(time.Second)),
		}, Env: env})
	}
	one, two := gateway(password), gateway(password)
	// Gateways start without Redis, so the first pairs may come too early.
	puts := map[scenario.SpanRef]scenario.SpanRef{}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		key := payload.NewSpanRef().SpanID.String()
		put := payload.PostJob(t, one, payload.PutName, key)
		puts[payload.PostJob(t, two, payload.GetName, key)] = put
		for span := range collectortest.SpansOf(backend.Traces(t)) {
			if put, ok := puts[collectortest.SpanRef(span)]; ok && span.Links().Len() == 1 {
				return span.Links().At(0).SpanID() == put.SpanID, "another span is linked"
			}
		}
		return false, "no link between the gateways"
	})

	stranger := gateway("wrong")
	payload.PostJob(t, stranger, payload.PutName, "key")
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return strings.Contains(stranger.Logs(), "WRONGPASS"), "Redis took a wrong password: " + stranger.Logs()
	})
}

// objectNamed returns the object of a type with a name.
func objectNamed[T kubernetesObject](objects []kubernetesObject, name string) (found T) {
	for _, object := range objectsOf[T](objects) {
		if object.GetName() == name {
			found = object
		}
	}
	return found
}
