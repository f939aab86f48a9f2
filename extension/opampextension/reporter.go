// SPDX-License-Identifier: Apache-2.0

package opampextension

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/google/uuid"
	"github.com/open-telemetry/opamp-go/client"
	"github.com/open-telemetry/opamp-go/client/types"
	"github.com/open-telemetry/opamp-go/protobufs"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/status"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/service"
	"go.opentelemetry.io/collector/service/hostcapabilities"
	"go.uber.org/zap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// reporter is the extension. The client remembers the latest report of each kind until it has sent it.
type reporter struct {
	cfg      *Config
	set      extension.Settings
	client   client.OpAMPClient
	statuses *status.Aggregator

	started bool

	mu     sync.Mutex // protects the following and the order of reports of health
	ready  bool       // statuses are reported: before, components come up one by one
	config []byte
}

var (
	_ extensioncapabilities.ConfigSnapshotWatcher  = (*reporter)(nil)
	_ extensioncapabilities.Dependent              = (*reporter)(nil)
	_ extensioncapabilities.PipelineWatcher        = (*reporter)(nil)
	_ extensioncapabilities.ComponentStatusWatcher = (*reporter)(nil)
)

func newReporter(cfg *Config, set extension.Settings) (*reporter, error) {
	r := &reporter{cfg: cfg, set: set, client: cfg.Server.client(set.Logger), statuses: status.NewAggregator(status.PriorityPermanent)}
	described, err := description(cfg.AgentDescription, set)
	if err != nil {
		return nil, err
	}
	return r, r.client.SetAgentDescription(described)
}

// Dependencies implements extensioncapabilities.Dependent.
func (r *reporter) Dependencies() []component.ID {
	if id := r.cfg.Server.endpoint().Auth; id != nil {
		return []component.ID{*id}
	}
	return nil
}

// Start implements component.Component.
func (r *reporter) Start(ctx context.Context, host component.Host) error {
	server := r.cfg.Server.endpoint()
	uid, err := uuid.NewV7()
	if r.cfg.InstanceUID != "" {
		uid, err = uuid.Parse(r.cfg.InstanceUID)
	}
	if err != nil {
		return err
	}
	settings := types.StartSettings{
		OpAMPServerURL: server.Endpoint,
		Header:         server.header(),
		InstanceUid:    types.InstanceUid(uid),
		Callbacks:      types.Callbacks{OnConnectFailed: r.notConnected, OnError: r.refused, GetEffectiveConfig: r.effectiveConfig},
	}
	if server.secure() {
		if settings.TLSConfig, err = server.TLS.LoadTLSConfig(ctx); err != nil {
			return err
		}
	}
	if settings.HeaderFunc, err = r.authenticated(host); err != nil {
		return err
	}
	if err := r.client.SetHealth(&protobufs.ComponentHealth{}); err != nil {
		return err
	}
	var modules service.ModuleInfos
	if info, ok := host.(hostcapabilities.ModuleInfo); ok {
		modules = info.GetModuleInfos()
	}
	if err := r.client.SetAvailableComponents(components(modules)); err != nil {
		return err
	}
	flags := r.cfg.Capabilities.flags()
	if err := r.client.SetCapabilities(&flags); err != nil {
		return err
	}
	if err := r.client.Start(context.Background(), settings); err != nil {
		return err
	}
	r.started = true
	return nil
}

// authenticated returns what adds the headers of the auth extension. It hands the extension a request that is not sent.
func (r *reporter) authenticated(host component.Host) (func(http.Header) http.Header, error) {
	id := r.cfg.Server.endpoint().Auth
	if id == nil {
		return nil, nil
	}
	auth, ok := host.GetExtensions()[*id].(extensionauth.HTTPClient)
	if !ok {
		return nil, fmt.Errorf("server: auth %q is not an extension that authenticates HTTP clients", id)
	}
	return func(header http.Header) http.Header {
		var with http.Header
		adding, err := auth.RoundTripper(roundTrip(func(request *http.Request) (*http.Response, error) {
			with = request.Header
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: request}, nil
		}))
		if err == nil {
			request := &http.Request{Method: http.MethodGet, URL: r.cfg.Server.endpoint().url(), Header: header}
			_, err = adding.RoundTrip(request) //nolint:bodyclose // it has none
		}
		if err != nil {
			r.set.Logger.Error("The OpAMP server gets no credentials", zap.Error(err))
			return header
		}
		return with
	}, nil
}

// roundTrip is a function as an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// NotifyConfigSnapshot implements extensioncapabilities.ConfigSnapshotWatcher.
func (r *reporter) NotifyConfigSnapshot(ctx context.Context, snapshot extensioncapabilities.ConfigSnapshot) error {
	if !r.cfg.Capabilities.ReportsEffectiveConfig {
		return nil
	}
	text, err := yaml.Marshal(redact.Conf(snapshot.Effective()).ToStringMap())
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.config = text
	r.mu.Unlock()
	return r.client.UpdateEffectiveConfig(ctx)
}

// effectiveConfig returns the latest configuration. The client asks for it when it connects.
func (r *reporter) effectiveConfig(context.Context) (*protobufs.EffectiveConfig, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.config == nil {
		return nil, nil
	}
	file := &protobufs.AgentConfigFile{Body: r.config, ContentType: "text/yaml"}
	return &protobufs.EffectiveConfig{ConfigMap: &protobufs.AgentConfigMap{ConfigMap: map[string]*protobufs.AgentConfigFile{"": file}}}, nil
}

// Ready implements extensioncapabilities.PipelineWatcher.
func (r *reporter) Ready() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready = true
	r.reportHealth()
	return nil
}

// NotReady implements extensioncapabilities.PipelineWatcher.
func (r *reporter) NotReady() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready = false
	r.setHealth(&protobufs.ComponentHealth{})
	return nil
}

// Changed implements extensioncapabilities.ComponentStatusWatcher.
func (r *reporter) Changed(source *componentstatus.InstanceID, event *componentstatus.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses.RecordStatus(source, event)
	r.reportHealth()
}

// reportHealth reports the statuses of all components.
func (r *reporter) reportHealth() {
	if all, ok := r.statuses.AggregateStatus(status.ScopeAll, status.Verbose); ok && r.ready {
		r.setHealth(health(all))
	}
}

func (r *reporter) setHealth(is *protobufs.ComponentHealth) {
	if !r.cfg.Capabilities.ReportsHealth {
		return
	}
	if err := r.client.SetHealth(is); err != nil {
		r.set.Logger.Error("The OpAMP server is not told the health", zap.Error(err))
	}
}

func (r *reporter) notConnected(_ context.Context, err error) {
	r.set.Logger.Error("The OpAMP server is not reached", zap.Error(err))
}

func (r *reporter) refused(_ context.Context, err *protobufs.ServerErrorResponse) {
	r.set.Logger.Error("The OpAMP server refused a report", zap.String("message", err.ErrorMessage))
}

// Shutdown implements component.Component.
func (r *reporter) Shutdown(ctx context.Context) error {
	if !r.started {
		return nil
	}
	return r.client.Stop(ctx)
}

// sugared is a logger for the client.
type sugared struct{ *zap.SugaredLogger }

func (s sugared) Debugf(_ context.Context, format string, values ...any) {
	s.SugaredLogger.Debugf(format, values...)
}

func (s sugared) Errorf(_ context.Context, format string, values ...any) {
	s.SugaredLogger.Errorf(format, values...)
}
