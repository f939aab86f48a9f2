// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/progress"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// runtimeLog reads log files and delivers their records.
type runtimeLog struct {
	config    *Config
	id        component.ID
	next      consumer.Logs
	logger    *zap.Logger
	set       component.TelemetrySettings
	reports   *receiverhelper.ObsReport
	location  *time.Location
	resources *resources

	// Since Start.
	formats   *logformat.Formats
	telemetry *telemetry

	tailer    *tail.Tailer
	directory *statefile.Directory // nil without state_directory
	progress  *progress.Store      // nil without state_directory
	files     sync.Map             // whose keys are the followed files and files of the last run, *file
	outage    outage
	// held is the size of all incomplete records that files hold, in bytes.
	held atomic.Int64
	// warnings is how many more skipped files are logged.
	warnings atomic.Int64

	stop       context.CancelFunc // of the background goroutines
	background sync.WaitGroup
}

func newReceiver(set receiver.Settings, cfg *Config, next consumer.Logs) (*runtimeLog, error) {
	if len(cfg.Include) == 0 {
		return nil, errors.New("include: must name the files to read")
	}
	reports, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, ReceiverCreateSettings: set})
	if err != nil {
		return nil, err
	}
	location, err := time.LoadLocation(cfg.Location)
	if err != nil {
		return nil, err
	}
	resources, err := newResources(cfg)
	if err != nil {
		return nil, err
	}
	r := &runtimeLog{
		config:    cfg,
		id:        set.ID,
		next:      next,
		logger:    set.Logger,
		set:       set.TelemetrySettings,
		reports:   reports,
		location:  location,
		resources: resources,
	}
	r.warnings.Store(maxWarnings)
	return r, nil
}

// Start implements component.Component.
func (r *runtimeLog) Start(ctx context.Context, host component.Host) error {
	if err := r.prepare(host); err != nil {
		return err
	}
	fromEnd := r.config.StartAt != beginning
	var left []progress.Entry
	if r.config.StateDirectory != "" {
		ran, err := r.open()
		if err != nil {
			return err
		}
		// start_at applies to the first start only.
		fromEnd = fromEnd && !ran
		if left, err = r.progress.Load(); err != nil {
			r.logger.Warn("The delivery progress cannot be read: records are repeated, and incomplete records are lost", zap.Error(err))
		}
	}
	r.tailer = tail.New(tail.Config{
		Include: r.config.Include, Exclude: r.config.Exclude,
		Roots: r.config.Roots, FromEnd: fromEnd, PollInterval: r.config.PollInterval, MaxOpen: r.config.MaxConcurrentFiles,
		Owner:     r.resources.podOf,
		NewReader: func() tail.Reader { return r.newFile(rand.Uint64()) },
		Skipped:   r.skipped,
		Zeros:     func(bytes int64) { r.telemetry.RuntimeLogSkippedBytes.Add(ctx, bytes) },
		Polled:    r.started,
	})
	for _, entry := range left {
		r.tailer.Restore(entry.Checkpoint, r.restoredFile(entry))
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.background.Go(func() {
		r.awaitPods(background, host)
		r.tailer.Start(background)
		r.flush(background)
	})
	return nil
}

// podWatcher is an extension that knows whether k8s_attributes knows the node's pods.
type podWatcher interface{ PodsKnown() bool }

// awaitPods returns once the pods are known, at the latest after wait_for_pods: at once if that is 0.
func (r *runtimeLog) awaitPods(ctx context.Context, host component.Host) {
	limited, cancel := context.WithTimeout(ctx, r.config.WaitForPods)
	defer cancel()
	for _, extension := range host.GetExtensions() {
		if watcher, ok := extension.(podWatcher); ok {
			periodic.Run(limited, podsInterval, func(time.Time) {
				if watcher.PodsKnown() {
					cancel()
				}
			})
		}
	}
}

// podsInterval is how often to ask whether pods are known.
const podsInterval = 100 * time.Millisecond

// prepare sets what depends on the packs.
func (r *runtimeLog) prepare(host component.Host) error {
	rules, err := policy.For(host)
	if err != nil {
		return err
	}
	if r.formats, err = r.config.formats(rules.Packs()); err != nil {
		return err
	}
	r.telemetry, err = newTelemetry(r.set, r.formats)
	return err
}

// startedName is the value in the directory that exists once the receiver has run.
const startedName = "started"

// open opens the directory, and reports whether the receiver has run with it.
func (r *runtimeLog) open() (ran bool, err error) {
	r.directory, err = statefile.Open(statefile.Settings{Path: r.config.StateDirectory, Sync: r.config.Fsync, Telemetry: r.set})
	if err != nil {
		return false, fmt.Errorf("state_directory: %w", err)
	}
	r.progress = &progress.Store{Directory: r.directory}
	started, err := r.directory.Read(startedName)
	if errors.Is(err, statefile.ErrDamaged) {
		return true, nil
	}
	return started != nil, err
}

// started stores that the first poll has ended: files that are found later are new.
func (r *runtimeLog) started() {
	if r.directory == nil {
		return
	}
	if err := r.directory.Write(startedName, nil); err != nil {
		r.logger.Warn("Cannot store that the receiver has run: the next start applies start_at again", zap.Error(err))
	}
}

func (r *runtimeLog) newFile(id uint64) *file {
	f := &file{receiver: r, id: id}
	r.files.Store(f, nil)
	return f
}

// restoredFile returns a file in the state of the last run.
func (r *runtimeLog) restoredFile(entry progress.Entry) *file {
	f := r.newFile(entry.ID)
	f.position, f.line, f.pack = entry.Checkpoint, bytes.Clone(entry.Line), r.formats.Named(entry.Pack)
	for _, h := range entry.Streams {
		f.stream(h.Stream).Restore(h, time.Now())
	}
	f.count()
	return f
}

// maxWarnings bounds the skipped files that are logged.
const maxWarnings = 100

func (r *runtimeLog) skipped(path string, reason tail.Reason, err error) {
	r.telemetry.skipped(reason)
	if r.warnings.Add(-1) >= 0 {
		r.logger.Warn("File not read", zap.String("path", validUTF8(path)), zap.String("reason", string(reason)), zap.Error(err))
	}
}

// stopTimeout bounds Shutdown's wait for reads. A read of an unreachable network file system
// cannot be cancelled.
const stopTimeout = finishTimeout + 2*time.Second

// Shutdown implements component.Component. With directory, the next start continues with the
// incomplete records and with records that the pipeline did not accept. Without one,
// incomplete records are delivered now.
func (r *runtimeLog) Shutdown(ctx context.Context) error {
	if r.stop == nil {
		return nil // Start was never called
	}
	r.stop()
	r.background.Wait()
	if !r.tailer.Stop(stopTimeout) {
		r.logger.Warn("A read of a file does not return; the receiver stops without it")
	}
	var err error
	if r.directory != nil {
		err = r.directory.Close()
	} else {
		finish, cancel := context.WithTimeout(ctx, finishTimeout)
		defer cancel()
		for f := range r.files.Range {
			f.(*file).finish(finish)
		}
	}
	r.telemetry.Shutdown()
	return err
}
