// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
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

// Outcomes of a change.
const (
	applied = "applied"
	refused = "refused"
)

// reloader reads the files of a configuration again when they change.
type reloader struct {
	config    policy.Config
	live      *policy.Live
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder

	started []packs.LogRules // of the policy that the collector started with

	// Of the poll.
	reader  *reader
	files   []string
	seen    []conformance.File // when they were read last
	refused error              // why the files are, or nil
	hanging []string           // those that do not answer

	mu     sync.Mutex
	status conformance.Reloads // guarded by mu

	host    component.Host
	stop    context.CancelFunc // nil: it does not run
	running sync.WaitGroup
}

// newReloader reads the files of a configuration before they are read for the policy that begin sets.
func newReloader(config policy.Config, files []string, set component.TelemetrySettings) (*reloader, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	// Alerts see an increase only of a series that is there before it.
	for _, outcome := range []string{applied, refused} {
		telemetry.ConventionsReloads.Add(context.Background(), 0, labelled(outcome))
	}
	r := &reloader{config: config, reader: newReader(packs.Disk), files: files, logger: set.Logger, telemetry: telemetry}
	r.seen = policy.Versions(r.reader.snapshot(context.Background()), files)
	r.status = conformance.Reloads{Generation: 1, Since: time.Now(), Files: r.seen}
	return r, nil
}

// begin sets the policy that changed files change.
func (r *reloader) begin(live *policy.Live) { r.live, r.started = live, logRules(live.Policy()) }

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

// poll reads the files again, and applies them if they have changed.
func (r *reloader) poll(ctx context.Context) {
	changed := policy.Versions(r.reader.snapshot(ctx), r.files)
	r.noteHanging()
	if slices.Equal(changed, r.seen) {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(quietFor):
	}
	read := r.reader.snapshot(ctx)
	if slices.Equal(policy.Versions(read, r.files), changed) && ctx.Err() == nil {
		r.reload(read)
	}
}

// reload applies files as they were read, or refuses all of them. Those that are named for the first time have to stay
// the same until the next poll.
func (r *reloader) reload(read packs.Files) {
	var files []string
	err := recovered(func() (err error) {
		_, files, err = r.config.ReadFrom(read)
		return err
	})
	if err == nil && !slices.Equal(files, r.files) {
		r.files = files
		return
	}
	err = recovered(func() error {
		next, err := policy.Check(r.config, read)
		if err != nil {
			return err
		}
		next.Namer()
		return r.live.Change(next)
	})
	r.seen = policy.Versions(read, r.files)
	r.note(err)
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

// note counts, logs and shows what became of changed files.
func (r *reloader) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = err
	outcome := applied
	if err != nil {
		outcome = refused
		r.status.Refused, r.status.RefusedAt = err.Error(), time.Now()
		logger := r.logger.WithOptions(zap.AddStacktrace(zap.DPanicLevel)) // the stack would always be that of the poll
		logger.Error("Changed files are refused: the packs and settings before them stay", zap.String("error", oneLine(err)))
	} else {
		r.status = conformance.Reloads{Generation: r.status.Generation + 1, Since: time.Now(), Files: r.seen, Restart: r.restart()}
		r.logger.Info("Changed files are applied", zap.Int("generation", r.status.Generation), zap.Any("files", r.status.Files))
		for _, what := range r.status.Restart {
			r.logger.Warn("A change needs a restart: " + what)
		}
	}
	r.telemetry.ConventionsReloads.Add(context.Background(), 1, labelled(outcome))
	r.report()
}

func labelled(outcome string) metric.MeasurementOption {
	return metric.WithAttributes(attribute.String("outcome", outcome))
}

// noteHanging logs and shows files that do not answer, and that they answer again.
func (r *reloader) noteHanging() {
	hanging := r.reader.hangs(r.files)
	if slices.Equal(hanging, r.hanging) {
		return
	}
	r.hanging = hanging
	if len(hanging) > 0 {
		r.logger.Warn("Files do not answer: what they had stays, and the others are read", zap.Strings("files", hanging))
	} else {
		r.logger.Info("All files answer again")
	}
	r.report()
}

// report reports a status for readiness: what is wrong with the files, or that nothing is.
func (r *reloader) report() {
	var faults []error
	if r.refused != nil {
		faults = append(faults, fmt.Errorf("changed files are refused, and those before them stay: %s", oneLine(r.refused)))
	}
	if len(r.hanging) > 0 {
		faults = append(faults, fmt.Errorf("files do not answer, and what they had stays: %s", strings.Join(r.hanging, ", ")))
	}
	event := componentstatus.NewEvent(componentstatus.StatusOK)
	if fault := errors.Join(faults...); fault != nil {
		event = componentstatus.NewRecoverableErrorEvent(fault)
	}
	componentstatus.ReportStatus(r.host, event)
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
