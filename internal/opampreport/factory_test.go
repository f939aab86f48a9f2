// SPDX-License-Identifier: Apache-2.0

package opampreport

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/opampextension"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/extension/extensiontest"
)

// recorded is an agent that records the latest event.
type recorded struct {
	agent
	event *componentstatus.Event
}

func (r *recorded) ComponentStatusChanged(_ *componentstatus.InstanceID, event *componentstatus.Event) {
	r.event = event
}

func TestErrorsOfComponentsHaveNoSecrets(t *testing.T) {
	r := &recorded{}
	redacted{r, true}.ComponentStatusChanged(nil, componentstatus.NewPermanentErrorEvent(errors.New(`Post "http://u:s3cret@host/?token=s3cret": refused`)))
	assert.EqualError(t, r.event.Err(), `Post "http://REDACTED@host/?token=REDACTED": refused`)
	assert.Equal(t, componentstatus.StatusPermanentError, r.event.Status())

	event := componentstatus.NewRecoverableErrorEvent(errors.New("refused"))
	redacted{r, true}.ComponentStatusChanged(nil, event)
	assert.Same(t, event, r.event)
}

func TestDescriptionHasNoSecrets(t *testing.T) {
	set := extensiontest.NewNopSettings(component.MustNewType("opamp"))
	set.Resource.Attributes().PutStr("auth.token", "s3cret")
	set.Resource.Attributes().PutStr("zone", "a")
	given := set.Resource
	cfg := opampextension.NewFactory().CreateDefaultConfig().(*opampextension.Config)
	cfg.AgentDescription.NonIdentifyingAttributes = map[string]string{"url": "http://u:s3cret@host", "team": "a"}
	described, _ := describe(&set, cfg)
	assert.Equal(t, map[string]string{"url": "http://REDACTED@host", "team": "a"}, described.(*opampextension.Config).AgentDescription.NonIdentifyingAttributes)
	assert.Equal(t, map[string]any{"auth.token": "[REDACTED]", "zone": "a"}, set.Resource.Attributes().AsRaw())
	assert.Equal(t, "http://u:s3cret@host", cfg.AgentDescription.NonIdentifyingAttributes["url"], "the given one is not changed")
	value, _ := given.Attributes().Get("auth.token")
	assert.Equal(t, "s3cret", value.Str())
}

// Without reports_health, the agent has no one who receives a status.
func TestWithoutHealth(t *testing.T) {
	factory := NewFactory(opampextension.NewFactory())
	cfg := factory.CreateDefaultConfig().(*opampextension.Config)
	cfg.Capabilities.ReportsHealth = false
	created := create(t, factory, cfg)
	done := make(chan struct{})
	go func() {
		defer close(done)
		created.(componentstatus.Watcher).ComponentStatusChanged(&componentstatus.InstanceID{}, componentstatus.NewEvent(componentstatus.StatusOK))
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the collector waits for its opamp extension")
	}
}

// The extension starts after the one that authenticates its requests.
func TestDependencies(t *testing.T) {
	factory := NewFactory(opampextension.NewFactory())
	cfg := factory.CreateDefaultConfig().(*opampextension.Config)
	require.NoError(t, confmap.NewFromStringMap(map[string]any{
		"server": map[string]any{"ws": map[string]any{"endpoint": "ws://127.0.0.1:1", "auth": "bearertokenauth"}},
	}).Unmarshal(cfg))
	dependent, ok := create(t, factory, cfg).(extensioncapabilities.Dependent)
	require.True(t, ok)
	assert.Equal(t, []component.ID{component.MustNewID("bearertokenauth")}, dependent.Dependencies())
}

func create(t *testing.T, factory extension.Factory, cfg *opampextension.Config) extension.Extension {
	t.Helper()
	created, err := factory.Create(context.Background(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, created.Shutdown(context.Background())) })
	return created
}
