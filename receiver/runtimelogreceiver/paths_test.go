// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func TestResourceOfPaths(t *testing.T) {
	r, err := newResources(&Config{
		Resource: map[string]string{"deployment.environment.name": "test", "service.namespace": "all"},
		Paths: []PathsItem{
			{Match: "/var/log/pods/{k8s.namespace.name}_{k8s.pod.name}_{k8s.pod.uid}/{k8s.container.name}/*.log"},
			{Match: "{host.name}/{service.name}.log*", Attributes: map[string]string{"service.namespace": "hosts"}},
			{Match: "/data/**/x.[0].log", Attributes: map[string]string{"service.name": "x"}},
		},
	})
	require.NoError(t, err)
	for path, want := range map[string][]logformat.Field{
		"/var/log/pods/prod_store-0_6f1/daemon/0.log": {
			{Key: "deployment.environment.name", Value: "test"}, {Key: "k8s.container.name", Value: "daemon"}, {Key: "k8s.namespace.name", Value: "prod"},
			{Key: "k8s.pod.name", Value: "store-0"}, {Key: "k8s.pod.uid", Value: "6f1"}, {Key: "service.namespace", Value: "all"},
		},
		"/logs/node-7/store.log.1": {
			{Key: "deployment.environment.name", Value: "test"}, {Key: "host.name", Value: "node-7"}, {Key: "service.name", Value: "store"}, {Key: "service.namespace", Value: "hosts"},
		},
		"node-7/store.log":    {{Key: "deployment.environment.name", Value: "test"}, {Key: "host.name", Value: "node-7"}, {Key: "service.name", Value: "store"}, {Key: "service.namespace", Value: "hosts"}},
		"/data/a/b/x.[0].log": {{Key: "deployment.environment.name", Value: "test"}, {Key: "host.name", Value: "b"}, {Key: "service.name", Value: "x.[0]"}, {Key: "service.namespace", Value: "hosts"}},
		"store.txt":           {{Key: "deployment.environment.name", Value: "test"}, {Key: "service.namespace", Value: "all"}},
	} {
		got, pod := r.attributesOf(path)
		assert.Equal(t, want, got, path)
		_, uid := value(got, "k8s.pod.uid")
		assert.Equal(t, uid, pod, path)
	}
}

func value(fields []logformat.Field, key string) (string, bool) {
	for _, f := range fields {
		if f.Key == key {
			return f.Value, true
		}
	}
	return "", false
}

// Whatever a pod names the files and directories in its volume, they are its own.
func FuzzVolumePath(f *testing.F) {
	const pods, volumes = "/var/lib/kubelet/pods/", "/volumes/kubernetes.io~empty-dir/otelcol-tc-logs"
	r, err := newResources(&Config{Paths: []PathsItem{
		{Match: pods + "{k8s.pod.uid}" + volumes + "/**"},
		{Match: pods + "{k8s.pod.uid}" + volumes + "-{k8s.container.name}/**"},
	}})
	require.NoError(f, err)
	const own, other = "6f1e9c1e-0000-4000-8000-000000000001", "6f1e9c1e-0000-4000-8000-000000000002"
	f.Add("x.log")
	f.Add("a\nb/x.log")
	f.Add("x" + pods + other + volumes + "/y.log")
	f.Add("otelcol-tc-logs-web/x.log")
	f.Add("\xff\x00.log")
	f.Fuzz(func(t *testing.T, name string) {
		got, pod := r.attributesOf(pods + own + volumes + "/" + name)
		require.True(t, pod)
		require.Equal(t, []logformat.Field{{Key: "k8s.pod.uid", Value: own}}, got)
		got, _ = r.attributesOf(pods + own + volumes + "-web/" + name)
		require.Equal(t, []logformat.Field{{Key: "k8s.container.name", Value: "web"}, {Key: "k8s.pod.uid", Value: own}}, got)
	})
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

// TestFormatIsCheckedAtTheStart checks a format: only the policy knows the packs.
func TestFormatIsCheckedAtTheStart(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Include, cfg.Format = []string{"*.log"}, "text"
	require.NoError(t, cfg.Validate())
	r, err := newReceiver(receivertest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	assert.ErrorContains(t, r.Start(t.Context(), componenttest.NewNopHost()), `format: no log format "text": known are`)
	require.NoError(t, r.Shutdown(t.Context()))
}
