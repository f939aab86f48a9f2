// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/readinessextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
)

var (
	_ extensioncapabilities.PipelineWatcher        = (*readiness)(nil)
	_ extensioncapabilities.ConfigSnapshotWatcher  = (*readiness)(nil)
	_ extensioncapabilities.ComponentStatusWatcher = (*readiness)(nil)
)

// readiness collects the conditions. The collector notifies it about pipelines and components. It reads
// the state of exporters from the collector's own metrics.
type readiness struct {
	config    *Config
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	server    *httpserver.Server
	fetch     func(ctx context.Context, address string) (map[string]*dto.MetricFamily, error)

	components components
	self       selfMetrics

	mu        sync.Mutex
	settings  *collectorSettings // guarded by mu
	stoppedAt time.Time          // when the pipelines stopped; zero while they run; guarded by mu

	cancel context.CancelFunc
	ctx    context.Context // ends with Shutdown
	done   sync.WaitGroup
}

func newReadiness(set extension.Settings, cfg *Config, telemetry *metadata.TelemetryBuilder) *readiness {
	r := &readiness{
		config: cfg, logger: set.Logger, telemetry: telemetry, fetch: fetch,
		self:      selfMetrics{config: cfg},
		settings:  &collectorSettings{},
		stoppedAt: time.Now(),
	}
	r.server = &httpserver.Server{Setting: "http", Config: &cfg.HTTP, Telemetry: set.TelemetrySettings, Handler: newHandler(r.conditions)}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Start starts the server, which answers 503 until the pipelines run.
func (r *readiness) Start(ctx context.Context, host component.Host) error {
	if err := r.observe(); err != nil {
		return err
	}
	return r.server.Start(ctx, host)
}

// NotifyConfigSnapshot reads where the collector serves its own metrics.
func (r *readiness) NotifyConfigSnapshot(_ context.Context, snapshot extensioncapabilities.ConfigSnapshot) error {
	settings, err := readSettings(snapshot.Effective())
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settings = settings
	return nil
}

// Changed records errors that components report.
func (r *readiness) Changed(source *componentstatus.InstanceID, event *componentstatus.Event) {
	r.components.changed(*source, event)
}

// Ready is called once, when the pipelines run.
func (r *readiness) Ready() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	address, err := r.settings.page()
	// Set before the first sample, so that the collector is not ready without pods. Without a metrics page
	// the condition could never end.
	r.self.start(time.Now(), err == nil && r.settings.needsPods())
	r.stoppedAt = time.Time{}
	r.done.Go(func() { r.watch(address, err) })
	return nil
}

// PodsKnown reports whether k8s_attributes knows pods, or no pipeline has one.
func (r *readiness) PodsKnown() bool {
	r.mu.Lock()
	started := r.stoppedAt.IsZero()
	r.mu.Unlock()
	return started && r.self.podsKnown()
}

// NotReady is called before the pipelines stop.
func (r *readiness) NotReady() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stoppedAt = time.Now()
	return nil
}

// Shutdown is called after the pipelines have stopped. The server answers until then.
func (r *readiness) Shutdown(ctx context.Context) error {
	r.cancel()
	r.done.Wait()
	r.telemetry.Shutdown()
	return r.server.Shutdown(ctx)
}

// watch reads the collector's own metrics at each interval, and logs new and ended conditions.
func (r *readiness) watch(address string, addressErr error) {
	tick := time.NewTicker(r.config.Interval)
	defer tick.Stop()
	logged := map[string]Condition{}
	for {
		r.look(address, addressErr)
		logged = r.log(logged, r.conditions())
		select {
		case <-r.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (r *readiness) look(address string, addressErr error) {
	if addressErr != nil {
		r.self.fail(time.Now(), addressErr)
		return
	}
	families, err := r.fetch(r.ctx, address)
	if err != nil {
		r.self.fail(time.Now(), err)
		return
	}
	r.self.read(time.Now(), families)
}

// conditions returns the current conditions.
func (r *readiness) conditions() []Condition {
	now := time.Now()
	all := append(r.components.conditions(now, r.config.Grace), r.self.conditions(now)...)
	r.mu.Lock()
	if !r.stoppedAt.IsZero() {
		all = append(all, Condition{Condition: pipelinesNotRunning, Since: r.stoppedAt, Detail: "the pipelines have not started yet, or are stopping"})
	}
	spills := r.settings.spills()
	r.mu.Unlock()
	for i := range all {
		// A collector that can spill keeps what it cannot send. Its senders would lose the data if they got no address.
		kept := spills && all[i].Condition == misconfigured
		all[i].Fails = slices.Contains(r.config.FailOn, all[i].Condition) && !kept
	}
	slices.SortFunc(all, func(a, b Condition) int { return cmp.Compare(a.key(), b.key()) })
	return all
}

// ready reports whether no condition fails.
func ready(conditions []Condition) bool {
	return !slices.ContainsFunc(conditions, func(c Condition) bool { return c.Fails })
}

// log logs which conditions have begun and ended, and returns the current ones.
func (r *readiness) log(before map[string]Condition, now []Condition) map[string]Condition {
	last := make(map[string]Condition, len(now))
	for _, c := range now {
		last[c.key()] = c
		if _, ok := before[c.key()]; !ok {
			r.logger.Warn("A readiness condition has begun.", fields(c)...)
		}
	}
	for key, c := range before {
		if _, ok := last[key]; !ok {
			r.logger.Info("A readiness condition has ended.", fields(c)...)
		}
	}
	return last
}

func fields(c Condition) []zap.Field {
	return []zap.Field{
		zap.String("condition", c.Condition), zap.String("component", c.Component), zap.String("signal", c.Signal),
		zap.String("detail", c.Detail), zap.Bool("fails", c.Fails),
	}
}
