// SPDX-License-Identifier: Apache-2.0

package opampextension

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/open-telemetry/opamp-go/protobufs"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension/extensionauth/extensionauthtest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pipeline"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func settings(t *testing.T, given map[string]any) *Config {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(given).Unmarshal(cfg))
	return cfg
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

func TestErrorsOfComponentsHaveNoSecrets(t *testing.T) {
	statuses := status.NewAggregator(status.PriorityPermanent)
	statuses.RecordStatus(
		componentstatus.NewInstanceID(component.MustNewID("otlp_http"), component.KindExporter, pipeline.NewID(pipeline.SignalTraces)),
		componentstatus.NewPermanentErrorEvent(errors.New(`Post "http://u:s3cret@host/?token=s3cret": refused`)))
	all, _ := statuses.AggregateStatus(status.ScopeAll, status.Verbose)
	is := health(all)
	assert.False(t, is.Healthy)
	assert.NotContains(t, is.String(), "s3cret")
	below := is.ComponentHealthMap["pipeline:traces"].ComponentHealthMap["exporter:otlp_http"]
	assert.Equal(t, `Post "http://REDACTED@host/?token=REDACTED": refused`, below.LastError)
	assert.Equal(t, "StatusPermanentError", below.Status)
}

func TestDescriptionHasNoSecrets(t *testing.T) {
	set := extensiontest.NewNopSettings(component.MustNewType("opamp"))
	set.Resource.Attributes().PutStr("auth.token", "s3cret")
	set.Resource.Attributes().PutStr("zone", "a")
	set.Resource.Attributes().PutStr("service.name", "gateway")
	described, err := description(AgentDescription{
		NonIdentifyingAttributes:  map[string]string{"url": "http://u:s3cret@host", "team": "a"},
		IncludeResourceAttributes: true,
	}, set)
	require.NoError(t, err)
	assert.NotContains(t, described.String(), "s3cret")
	more := texts(described.NonIdentifyingAttributes)
	assert.Subset(t, more, map[string]string{"url": "http://REDACTED@host", "team": "a", "auth.token": "[REDACTED]", "zone": "a"})
	assert.NotContains(t, more, "service.name")
	assert.Equal(t, "gateway", texts(described.IdentifyingAttributes)["service.name"])
	value, _ := set.Resource.Attributes().Get("auth.token")
	assert.Equal(t, "s3cret", value.Str(), "the given one is not changed")
}

func texts(list []*protobufs.KeyValue) map[string]string {
	all := map[string]string{}
	for _, attribute := range list {
		all[attribute.Key] = attribute.Value.GetStringValue()
	}
	return all
}

// The extension starts after the one that authenticates its requests, and sends the headers of that one.
func TestAuth(t *testing.T) {
	id := component.MustNewID("bearertokenauth")
	created, err := create(context.Background(), extensiontest.NewNopSettings(component.MustNewType("opamp")), settings(t, map[string]any{
		"server": map[string]any{"ws": map[string]any{"endpoint": "ws://127.0.0.1:1", "auth": id.String()}},
	}))
	require.NoError(t, err)
	r := created.(*reporter)
	assert.Equal(t, []component.ID{id}, r.Dependencies())

	_, err = r.authenticated(extensions{})
	assert.ErrorContains(t, err, "bearertokenauth")
	_, err = r.authenticated(extensions{id: extensionauthtest.NewErr(errors.New("away"))})
	require.NoError(t, err)
	with, err := r.authenticated(extensions{id: bearer{}})
	require.NoError(t, err)
	assert.Equal(t, http.Header{"A": {"b"}, "Authorization": {"Bearer token"}}, with(http.Header{"A": {"b"}}))
}

// extensions is a host.
type extensions map[component.ID]component.Component

func (e extensions) GetExtensions() map[component.ID]component.Component { return e }

// bearer is an extension that authenticates.
type bearer struct {
	component.StartFunc
	component.ShutdownFunc
}

func (bearer) RoundTripper(base http.RoundTripper) (http.RoundTripper, error) {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer token")
		return base.RoundTrip(request)
	}), nil
}
