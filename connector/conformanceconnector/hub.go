// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/coherence"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/page"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/readers"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// hub is the part that all instances of one component share: their state and the sending of reports.
type hub struct {
	id        component.ID
	config    *Config
	telemetry component.TelemetrySettings
	logger    *zap.Logger
	resource  pcommon.Resource
	sweep     time.Duration

	// Since the first instance has started.
	state *state
	page  *httpserver.Server         // nil: no page
	own   *metadata.TelemetryBuilder // nil: without files of usage
	// costs knows what series cost. It is nil if another connector reads it.
	costs *conformance.CostSources

	// hubsMu guards the next two fields.
	users  int
	looked [inputs]bool

	// sending is held while a report is sent, so that no instance stops meanwhile.
	sending sync.Mutex

	// mu guards the fields below.
	mu       sync.Mutex
	running  []*instance
	removing int                // instances that are stopping; no new report is sent meanwhile
	abort    context.CancelFunc // cancels the report that is being sent, or nil
	stop     context.CancelFunc
	done     sync.WaitGroup
}

// output is the next consumer of an instance. One of the fields is set.
type output struct {
	metrics consumer.Metrics
	logs    consumer.Logs
}

func newHub(set connector.Settings, cfg *Config) *hub {
	return &hub{
		id: set.ID, config: cfg, telemetry: set.TelemetrySettings, logger: set.Logger, resource: set.Resource,
		sweep: max(cfg.Window/coherence.SweepsAWindow, time.Second/coherence.SweepsAWindow),
	}
}

// add adds an instance. The first one makes the state, and starts the sweeps, the reports and the page.
func (h *hub) add(ctx context.Context, host component.Host, i *instance) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop == nil {
		if err := h.start(ctx, host); err != nil {
			return err
		}
	}
	h.running = append(h.running, i)
	return nil
}

func (h *hub) start(ctx context.Context, host component.Host) error {
	cfg := h.config
	user, err := policy.Use(host, h.id, "", func(p *policy.Policy, before *judging) (*judging, func(), error) {
		if before == nil {
			h.state = h.newState(host, p)
			return h.state.judging, nil, nil
		}
		j := h.state.newJudging(p)
		return j, func() { h.state.change(j) }, nil
	})
	if err != nil {
		return err
	}
	h.state.judgingOf = user.Of
	var files *readers.Files
	var read page.Reading
	if len(cfg.Usage) > 0 && cfg.Page.HasValue() {
		if h.own, err = metadata.NewTelemetryBuilder(h.telemetry); err != nil {
			return err
		}
		files = readers.New(cfg.Usage, h.noteReading)
		read = files.Readings
	}
	if cfg.Page.HasValue() {
		h.page = &httpserver.Server{
			Setting: "page", Config: cfg.Page.Get(), Telemetry: h.telemetry, Handler: page.NewHandler(h.state.Report, read),
		}
		if err := h.page.Start(ctx, host); err != nil {
			return err
		}
		h.logger.Info("The conformance page is at " + h.page.URL())
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	if files != nil {
		h.done.Go(func() { files.Run(ctx) })
	}
	// Separate from the reports, so that traces are judged also while the next component blocks.
	h.done.Go(func() { periodic.Run(ctx, h.sweep, h.state.sweep) })
	h.done.Go(func() { periodic.Run(ctx, cfg.Interval, func(time.Time) { h.report(ctx) }) })
	return nil
}

// noteReading counts a reading of the files of usage, and logs its fault.
func (h *hub) noteReading(err error) {
	outcome := "applied"
	if err != nil {
		outcome = "refused"
		h.logger.Warn("Files of usage cannot be read", zap.String("error", paste.OneLine(err.Error())))
	}
	h.own.ConformanceUsageReads.Add(context.Background(), 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}

// newState returns the state, with what the conventions extension knows of the collector.
func (h *hub) newState(host component.Host, p *policy.Policy) *state {
	around := surroundings{}
	extension, _ := policy.Find(host) // policy.Use has returned the error
	if e, ok := extension.(interface{ Receivers() []conformance.Receiver }); ok {
		around.receivers = e.Receivers()
	}
	if e, ok := extension.(interface{ Reloads() conformance.Reloads }); ok {
		around.reloads = e.Reloads
	}
	if p.Costs().Claim() {
		h.costs = p.Costs()
		around.costs = h.costs.Costs
	}
	return newState(h.config, p, around)
}

// remove removes an instance. If it is the last with an output of its signal, that output gets the
// findings since the last report. The last instance stops the sweeps, the reports and the page.
func (h *hub) remove(ctx context.Context, i *instance) error {
	last, stop, ok := h.take(i)
	if !ok { // not started
		return nil
	}
	// A report may still be sent to this instance's output.
	h.sending.Lock()
	var err error
	if last != (output{}) {
		ctx, cancel := context.WithTimeout(ctx, lastSend)
		h.state.endTraces(time.Now())
		err = h.send(ctx, last)
		cancel()
	}
	h.sending.Unlock()
	h.mu.Lock()
	h.removing--
	h.mu.Unlock()
	if stop == nil {
		return err
	}
	stop()
	h.done.Wait()
	if h.own != nil {
		h.own.Shutdown()
	}
	if h.costs != nil {
		h.costs.Release()
	}
	if h.page != nil {
		err = errors.Join(err, h.page.Shutdown(ctx))
	}
	return err
}

// lastSend is the timeout for the last report.
const lastSend = 2 * time.Second

// take removes an instance and cancels the report that is being sent. It returns the output that no other
// instance has and, for the last instance, the function that stops the sweeps and reports.
func (h *hub) take(i *instance) (last output, stop context.CancelFunc, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.Index(h.running, i)
	if at < 0 {
		return last, nil, false
	}
	h.removing++
	h.running = slices.Delete(h.running, at, at+1)
	rest := h.outputs()
	if rest.metrics == nil {
		last.metrics = i.output.metrics
	}
	if rest.logs == nil {
		last.logs = i.output.logs
	}
	if h.abort != nil {
		h.abort()
	}
	if len(h.running) == 0 {
		stop, h.stop = h.stop, nil
	}
	return last, stop, true
}

// outputs returns one output for each signal. All instances with an output of a signal lead to the same
// pipelines, so one is enough.
func (h *hub) outputs() output {
	var all output
	for _, i := range h.running {
		if i.output.metrics != nil {
			all.metrics = i.output.metrics
		}
		if i.output.logs != nil {
			all.logs = i.output.logs
		}
	}
	return all
}

// report makes a report and sends it.
func (h *hub) report(ctx context.Context) {
	h.sending.Lock()
	defer h.sending.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.mu.Lock()
	to, ends := h.outputs(), h.removing > 0
	h.abort = cancel
	h.mu.Unlock()
	if ends {
		return
	}
	if err := h.send(ctx, to); err != nil && ctx.Err() == nil {
		h.logger.Warn("The conformance report was not delivered, the next one repeats its findings", zap.Error(err))
	}
}

// send sends scores to the metrics output and findings to the logs output. Either output can be missing.
func (h *hub) send(ctx context.Context, to output) error {
	report := h.state.report(time.Now(), to.logs != nil)
	var failed []error
	if to.metrics != nil {
		failed = append(failed, to.metrics.ConsumeMetrics(ctx, scores(report, h.resource)))
	}
	if to.logs == nil {
		return errors.Join(failed...)
	}
	if found := records(report, h.resource); found.LogRecordCount() > 0 {
		if err := to.logs.ConsumeLogs(ctx, found); err != nil {
			h.state.results.Requeue(report)
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// hubs holds the hubs in use, by the Config pointer. All instances of a component share a Config, and no
// other component has it, not even in another collector of the process.
var (
	hubsMu sync.Mutex
	hubs   = map[*Config]*hub{}
)

// share returns the hub of a component, and whether the caller is the first instance that consumes the
// signal.
func share(set connector.Settings, cfg *Config, in input) (h *hub, first bool) {
	hubsMu.Lock()
	defer hubsMu.Unlock()
	if h = hubs[cfg]; h == nil {
		h = newHub(set, cfg)
		hubs[cfg] = h
	}
	h.users++
	first = !h.looked[in]
	h.looked[in] = true
	return h, first
}

// release removes the hub of a component when its last instance stops.
func release(cfg *Config) {
	hubsMu.Lock()
	defer hubsMu.Unlock()
	if h := hubs[cfg]; h != nil {
		if h.users--; h.users == 0 {
			delete(hubs, cfg)
		}
	}
}
