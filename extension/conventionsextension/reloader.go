// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	packs "github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/extension/conventionsextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

const (
	// pollInterval is how often files are compared. Content is, because a file in a ConfigMap, on a network or in an
	// editor changes in ways that a file system does not always report.
	pollInterval = 500 * time.Millisecond
	// quietFor is how long changed files must stay the same, so that none is read while it is written.
	quietFor = 100 * time.Millisecond
)

// reloader reads the files of a configuration again when they change.
type reloader struct {
	config    policy.Config
	live      *policy.Live
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder

	started []packs.LogRules // of the policy that the collector started with

	// Of the poll.
	files []string
	seen  []conformance.File // when they were read last

	mu     sync.Mutex
	status conformance.Reloads // guarded by mu

	stop    context.CancelFunc // nil: it does not run
	running sync.WaitGroup
}

func newReloader(config policy.Config, live *policy.Live, files []string, seen []conformance.File, logger *zap.Logger, telemetry *metadata.TelemetryBuilder) *reloader {
	r := &reloader{config: config, live: live, files: files, seen: seen, logger: logger, telemetry: telemetry, started: logRules(live.Policy())}
	r.status = conformance.Reloads{Generation: 1, Since: time.Now(), Files: seen}
	return r
}

func (r *reloader) start() {
	if len(r.files) == 0 || r.stop != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.running.Go(func() { periodic.Run(ctx, pollInterval, func(time.Time) { r.poll(ctx) }) })
}

func (r *reloader) shutdown() {
	if r.stop != nil {
		r.stop()
		r.running.Wait()
		r.stop = nil
	}
}

func (r *reloader) reloads() conformance.Reloads {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// poll reads the files again if they have changed.
func (r *reloader) poll(ctx context.Context) {
	changed := policy.Versions(r.files)
	if slices.Equal(changed, r.seen) {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(quietFor):
	}
	if slices.Equal(policy.Versions(r.files), changed) {
		r.reload(changed)
	}
}

// reload applies the files, or refuses all of them. If they change meanwhile, the next poll does.
func (r *reloader) reload(changed []conformance.File) {
	var all *policy.Config
	var files []string
	err := recovered(func() (err error) {
		all, files, err = r.config.Read()
		return err
	})
	if err != nil {
		files = r.files
	}
	before := policy.Versions(files)
	var next *policy.Policy
	if err == nil {
		err = recovered(func() (err error) {
			next, err = compile(all)
			return err
		})
	}
	if !slices.Equal(policy.Versions(r.files), changed) || !slices.Equal(policy.Versions(files), before) {
		return
	}
	if err == nil {
		err = r.live.Change(next)
	}
	r.files, r.seen = files, before
	r.note(before, err)
}

// recovered returns the error of a function, also if it panics: a fault in a file must not end a collector that runs.
func recovered(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("cannot be used: %v", cause)
		}
	}()
	return do()
}

// compile makes a policy with all checks of a start.
func compile(c *policy.Config) (p *policy.Policy, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	p, err = policy.New(*c)
	if err == nil {
		p.Namer()
	}
	return p, err
}

func (r *reloader) note(files []conformance.File, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	outcome := "applied"
	if err != nil {
		outcome = "refused"
		r.status.Refused, r.status.RefusedAt = err.Error(), time.Now()
		logger := r.logger.WithOptions(zap.AddStacktrace(zap.DPanicLevel)) // the stack would always be that of the poll
		logger.Error("Changed files are refused: the packs and settings before them stay", zap.String("error", oneLine(err)))
	} else {
		r.status = conformance.Reloads{Generation: r.status.Generation + 1, Since: time.Now(), Files: files, Restart: r.restart()}
		r.logger.Info("Changed files are applied", zap.Int("generation", r.status.Generation), zap.Any("files", r.status.Files))
		for _, what := range r.status.Restart {
			r.logger.Warn("A change needs a restart: " + what)
		}
	}
	r.telemetry.ConventionsReloads.Add(context.Background(), 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}

// oneLine returns the text of an error without line breaks.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}

// restart returns what the policy has that does not apply before a restart.
func (r *reloader) restart() []string {
	if reflect.DeepEqual(r.started, logRules(r.live.Policy())) {
		return nil
	}
	return []string{"logs.formats and logs.prefixes of packs: runtime_log parses lines by those that it started with"}
}

// logRules returns what runtime_log takes of packs when it starts.
func logRules(p *policy.Policy) (all []packs.LogRules) {
	for _, pack := range p.Packs() {
		if len(pack.Logs.Formats)+len(pack.Logs.Prefixes) > 0 {
			all = append(all, packs.LogRules{Formats: pack.Logs.Formats, Prefixes: pack.Logs.Prefixes})
		}
	}
	return all
}
