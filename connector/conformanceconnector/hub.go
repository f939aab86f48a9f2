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
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/coherence"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/page"
	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
)

// hub is what all instances of one component share: their state, and where its reports go.
type hub struct {
	state    *state
	logger   *zap.Logger
	resource pcommon.Resource
	interval time.Duration
	sweep    time.Duration
	page     *httpserver.Server // nil: none

	// hubsMu guards these.
	users  int
	looked [inputs]bool

	// sending is held while something is sent, so that an instance does not end under it.
	sending sync.Mutex

	// mu guards the rest.
	mu       sync.Mutex
	running  []*instance
	removing int                // instances that end, for which nothing new is sent
	abort    context.CancelFunc // of what is being sent, or nil
	stop     context.CancelFunc
	done     sync.WaitGroup
}

// output is where an instance leads: one of the two.
type output struct {
	metrics consumer.Metrics
	logs    consumer.Logs
}

func toMetrics(next consumer.Metrics) output { return output{metrics: next} }

func toLogs(next consumer.Logs) output { return output{logs: next} }

func newHub(set connector.Settings, cfg *Config) (*hub, error) {
	state, err := newState(cfg)
	if err != nil {
		return nil, err
	}
	h := &hub{
		state: state, logger: set.Logger, resource: set.Resource,
		interval: cfg.Interval, sweep: max(cfg.Window/coherence.SweepsAWindow, time.Second/coherence.SweepsAWindow),
	}
	if cfg.Page.HasValue() {
		h.page = &httpserver.Server{
			Setting: "page", Config: cfg.Page.Get(), Telemetry: set.TelemetrySettings, Handler: page.NewHandler(state.Report),
		}
	}
	return h, nil
}

// add adds an instance's output. The first one starts the sweeps, the reports and the page.
func (h *hub) add(ctx context.Context, host component.Host, i *instance) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop == nil {
		if h.page != nil {
			if err := h.page.Start(ctx, host); err != nil {
				return err
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		h.stop = cancel
		// Traces are judged also while the next component is stuck.
		h.done.Go(func() { every(ctx, h.sweep, h.state.sweep) })
		h.done.Go(func() { every(ctx, h.interval, func(time.Time) { h.report(ctx) }) })
	}
	h.running = append(h.running, i)
	return nil
}

// remove removes an instance's output. If no other leads to the same signal it gets what was
// found since the last report. The last one stops the sweeps, the reports and the page.
func (h *hub) remove(ctx context.Context, i *instance) error {
	last, stop, ok := h.take(i)
	if !ok { // never started
		return nil
	}
	// What is being sent may be sent to this instance's output.
	h.sending.Lock()
	var err error
	if last != (output{}) {
		ctx, cancel := context.WithTimeout(ctx, lastSend)
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
	if h.page != nil {
		err = errors.Join(err, h.page.Shutdown(ctx))
	}
	return err
}

// lastSend is how long the next component can take for the last report.
const lastSend = 2 * time.Second

// take takes an instance out, and ends what is being sent. It returns the output that no other
// instance leads to and, with the last instance, what stops the sweeps and reports.
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

// outputs returns one output of each signal. Instances with an output of one signal all lead to
// the same pipelines, so one is enough.
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

func every(ctx context.Context, interval time.Duration, do func(time.Time)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			do(now)
		}
	}
}

// report sends what was found since the last time.
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
		h.logger.Warn("Conformance not sent; findings are sent again with the next", zap.Error(err))
	}
}

// send sends scores to metrics and findings to logs, of which either can be missing.
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
			h.state.results.Again(report.Findings)
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// hubs are the hubs in use. All instances of one component have one Config, which no other
// component has, not even in another collector of the process.
var (
	hubsMu sync.Mutex
	hubs   = map[*Config]*hub{}
)

// share returns the hub of a component, and whether the caller is the first that
// consumes a signal.
func share(set connector.Settings, cfg *Config, in input) (h *hub, first bool, err error) {
	hubsMu.Lock()
	defer hubsMu.Unlock()
	if h = hubs[cfg]; h == nil {
		if h, err = newHub(set, cfg); err != nil {
			return nil, false, err
		}
		hubs[cfg] = h
	}
	h.users++
	first = !h.looked[in]
	h.looked[in] = true
	return h, first, nil
}

// release forgets the hub of a component when its last instance ends.
func release(cfg *Config) {
	hubsMu.Lock()
	defer hubsMu.Unlock()
	if h := hubs[cfg]; h != nil {
		if h.users--; h.users == 0 {
			delete(hubs, cfg)
		}
	}
}
