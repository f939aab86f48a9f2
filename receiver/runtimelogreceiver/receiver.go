// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/serviceextension"
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

	tailer   *tail.Tailer
	client   storage.Client  // nil without storage
	progress *progress.Store // nil without storage
	files    files
	outage   outage
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
	fromEnd, skipArchives := r.config.StartAt != beginning, false
	var left []progress.Entry
	if r.config.Storage != nil {
		extension, err := serviceextension.FindStorage(host, *r.config.Storage)
		if err != nil {
			return err
		}
		if r.client, err = extension.GetClient(ctx, component.KindReceiver, r.id, ""); err != nil {
			return err
		}
		started, err := r.client.Get(ctx, startedKey)
		if err != nil {
			return err
		}
		// start_at applies to the first start only.
		fromEnd = fromEnd && started == nil
		// An earlier release has read files before they were compressed, and forgotten them.
		skipArchives = bytes.Equal(started, startedWithoutArchives)
		r.progress = &progress.Store{Client: r.client}
		left = r.restore(ctx)
	}
	r.tailer = tail.New(tail.Config{
		Include: r.config.Include, Exclude: r.config.Exclude, ExcludeOlderThan: r.config.ExcludeOlderThan,
		Roots: r.config.Roots, FromEnd: fromEnd, SkipArchives: skipArchives, PollInterval: r.config.PollInterval, MaxOpen: r.config.MaxConcurrentFiles,
		Owner:     r.resources.podOf,
		NewReader: func() tail.Reader { return r.newFile(rand.Uint64()) },
		Skipped:   r.skipped,
		Zeros:     func(bytes int64) { r.telemetry.RuntimeLogSkippedBytes.Add(ctx, bytes) },
		Polled:    func() { r.started(ctx) },
	})
	for _, entry := range left {
		r.tailer.Restore(entry.Checkpoint, r.restoredFile(entry))
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.background.Go(func() { r.flush(background) })
	r.tailer.Start(background)
	return nil
}

// prepare sets what depends on the packs.
func (r *runtimeLog) prepare(host component.Host) error {
	of, err := policy.For(host, policy.Own{Packs: r.config.Packs})
	if err != nil {
		return err
	}
	if r.formats, err = r.config.formats(of.Packs()); err != nil {
		return err
	}
	r.telemetry, err = newTelemetry(r.set, r.formats)
	return err
}

// startedKey is the storage key that exists once the receiver has run.
const startedKey = "started"

// The values of startedKey: of releases that did not read archives, and of this one.
var startedWithoutArchives, startedWithArchives = []byte{1}, []byte{2}

// started stores that the first poll has ended: files that are found later are new.
func (r *runtimeLog) started(ctx context.Context) {
	if r.client == nil {
		return
	}
	if err := r.client.Set(context.WithoutCancel(ctx), startedKey, startedWithArchives); err != nil {
		r.logger.Warn("Cannot store that the receiver has run: the next start applies start_at again", zap.Error(err))
	}
}

// restore returns how far the last run has delivered each file.
func (r *runtimeLog) restore(ctx context.Context) []progress.Entry {
	left, err := r.progress.Load(ctx)
	legacy, remove, legacyErr := progress.LoadLegacy(ctx, r.client)
	if err := errors.Join(err, legacyErr); err != nil {
		r.logger.Warn("The delivery progress cannot be read: records are repeated, and incomplete records are lost", zap.Error(err))
	}
	if len(remove) == 0 {
		return left
	}
	for _, entry := range legacy {
		err = errors.Join(err, r.progress.Save(ctx, entry))
	}
	if err == nil {
		err = r.client.Batch(ctx, remove...)
	}
	if err != nil {
		r.logger.Warn("The delivery progress cannot be stored in the new format", zap.Error(err))
	}
	return append(left, legacy...)
}

func (r *runtimeLog) newFile(id uint64) *file {
	f := &file{receiver: r, id: id}
	r.files.add(f)
	return f
}

// restoredFile returns a file in the state of the last run.
func (r *runtimeLog) restoredFile(entry progress.Entry) *file {
	f := r.newFile(entry.ID)
	f.at, f.line, f.pack = entry.Checkpoint, bytes.Clone(entry.Line), r.formats.Named(entry.Pack)
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

// Shutdown implements component.Component. With storage, the next start continues with the
// incomplete records and with records that the pipeline did not accept. Without storage,
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
	if r.client != nil {
		err = r.client.Close(ctx)
	} else {
		finish, cancel := context.WithTimeout(ctx, finishTimeout)
		defer cancel()
		for _, f := range r.files.list() {
			f.finish(finish)
		}
	}
	r.telemetry.Shutdown()
	return err
}
