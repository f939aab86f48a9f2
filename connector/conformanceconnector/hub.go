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
)

// hub is what all instances of one component share: what they found, and where it goes.
type hub struct {
	state    *state
	logger   *zap.Logger
	resource pcommon.Resource
	interval time.Duration
	sweep    time.Duration
	page     *page // nil: none

	// mu guards the rest. It is held while something is sent, so that an instance does
	// not end under it.
	mu      sync.Mutex
	running []*instance
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// output is where an instance leads: one of the two.
type output struct {
	metrics consumer.Metrics
	logs    consumer.Logs
}

func toMetrics(next consumer.Metrics) output { return output{metrics: next} }

func toLogs(next consumer.Logs) output { return output{logs: next} }

// sweepsAWindow is how often traces are looked through in a window, so that a trace
// waits little longer than it should.
const sweepsAWindow = 8

func newHub(set connector.Settings, cfg *Config) (*hub, error) {
	state, err := newState(cfg)
	if err != nil {
		return nil, err
	}
	h := &hub{
		state: state, logger: set.Logger, resource: set.Resource,
		interval: cfg.Interval, sweep: max(cfg.Window/sweepsAWindow, time.Second/sweepsAWindow),
	}
	if cfg.Page.HasValue() {
		h.page = newPage(cfg.Page.Get(), set.TelemetrySettings, state.Report)
	}
	return h, nil
}

// add has an instance's output used, and the first one starts the clock and the page.
func (h *hub) add(ctx context.Context, host component.Host, i *instance) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop == nil {
		if h.page != nil {
			if err := h.page.start(ctx, host); err != nil {
				return err
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		h.stop = cancel
		h.done.Go(func() { h.run(ctx) })
	}
	h.running = append(h.running, i)
	return nil
}

// remove has an instance's output used no more. If no other leads to the same signal
// it gets what was found since the last time.
func (h *hub) remove(ctx context.Context, i *instance) error {
	h.mu.Lock()
	at := slices.Index(h.running, i)
	if at < 0 { // never started
		h.mu.Unlock()
		return nil
	}
	h.running = slices.Delete(h.running, at, at+1)
	rest := h.outputs()
	last := output{}
	if rest.metrics == nil {
		last.metrics = i.output.metrics
	}
	if rest.logs == nil {
		last.logs = i.output.logs
	}
	var err error
	if last != (output{}) {
		err = h.send(ctx, last)
	}
	stop := h.stop
	if len(h.running) > 0 {
		stop = nil
	} else {
		h.stop = nil
	}
	h.mu.Unlock()
	if stop == nil {
		return err
	}
	stop()
	h.done.Wait()
	if h.page != nil {
		err = errors.Join(err, h.page.shutdown(ctx))
	}
	return err
}

// outputs are one of each kind. Instances with one kind of output all lead to the
// same pipelines, so one is enough.
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

func (h *hub) run(ctx context.Context) {
	sweep, report := time.NewTicker(h.sweep), time.NewTicker(h.interval)
	defer sweep.Stop()
	defer report.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-sweep.C:
			h.state.sweep(now)
		case <-report.C:
			h.mu.Lock()
			if err := h.send(ctx, h.outputs()); err != nil && ctx.Err() == nil {
				h.logger.Warn("Conformance not sent; findings are sent again with the next", zap.Error(err))
			}
			h.mu.Unlock()
		}
	}
}

// send sends scores and findings to where there is somewhere to send them.
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
			h.state.again(report.Findings)
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
