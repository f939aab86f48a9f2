package runtimelogreceiver

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/stanza/fileconsumer"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/stanza/operator"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/serviceextension"
)

// runtimeLog reads files and delivers their records.
type runtimeLog struct {
	config    *Config
	id        component.ID
	next      consumer.Logs
	logger    *zap.Logger
	reports   *receiverhelper.ObsReport
	telemetry *telemetry
	formats   *logformat.Formats
	location  *time.Location
	resources *resources

	set         component.TelemetrySettings
	manager     *fileconsumer.Manager
	checkpoints *checkpoints   // nil without storage
	progress    *progressStore // nil without storage
	files       *files
	outage      outage
	stop        context.CancelFunc // of the background
	background  sync.WaitGroup
}

func newReceiver(set receiver.Settings, cfg *Config, next consumer.Logs) (*runtimeLog, error) {
	if len(cfg.Include) == 0 {
		return nil, errors.New("include: must name the files to read")
	}
	reports, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, ReceiverCreateSettings: set})
	if err != nil {
		return nil, err
	}
	formats, err := cfg.formats()
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
	telemetry, err := newTelemetry(set.TelemetrySettings, formats)
	if err != nil {
		return nil, err
	}
	r := &runtimeLog{
		config:    cfg,
		id:        set.ID,
		next:      next,
		logger:    set.Logger,
		reports:   reports,
		telemetry: telemetry,
		formats:   formats,
		location:  location,
		resources: resources,
	}
	r.files = newFiles(r.newFile)
	r.set = set.TelemetrySettings
	return r, r.build(cfg.StartAt)
}

// build makes the file consumer.
func (r *runtimeLog) build(startAt string) (err error) {
	consumer := r.config.consumer()
	consumer.StartAt = startAt
	r.manager, err = consumer.Build(r.set, r.consume, fileconsumer.WithSplitFunc(splitLines))
	return err
}

// Start implements component.Component.
func (r *runtimeLog) Start(ctx context.Context, host component.Host) error {
	var persister operator.Persister
	if r.config.Storage != nil {
		extension, err := serviceextension.FindStorage(host, *r.config.Storage)
		if err != nil {
			return err
		}
		client, err := extension.GetClient(ctx, component.KindReceiver, r.id, "")
		if err != nil {
			return err
		}
		r.checkpoints = &checkpoints{Client: client}
		r.progress = &progressStore{client: client}
		persister = r.checkpoints
		if err := r.goOn(ctx, client); err != nil {
			return err
		}
		left, err := r.progress.load(ctx)
		if err != nil {
			r.logger.Warn("How far files were delivered cannot be read: records come again, and what waited for continuation lines is lost", zap.Error(err))
		}
		for _, entry := range left {
			r.files.restore(r.restoredFile(entry))
		}
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.background.Go(func() { r.flush(background) })
	return r.manager.Start(persister)
}

// startedKey tells in the storage that the receiver has run before.
const startedKey = "started"

// goOn has all files read from their beginning that the storage knows nothing of, if
// this is not the first start: start_at is about that one.
func (r *runtimeLog) goOn(ctx context.Context, client storage.Client) error {
	started, err := client.Get(ctx, startedKey)
	switch {
	case err != nil:
		return err
	case started == nil:
		return client.Set(ctx, startedKey, []byte{1})
	}
	return r.build(beginning)
}

// restoredFile is a file as the last run has left it.
func (r *runtimeLog) restoredFile(entry progress) *file {
	f := r.newFile(entry.Path)
	now := time.Now()
	// Clones, since the store keeps the entry until it is saved anew.
	f.hold(bytes.Clone(entry.Held), bytes.Clone(entry.Partial), entry.Overlong, now)
	entry.Held, entry.Partial = nil, nil
	f.progress, f.at, f.used = entry, entry.End, now
	return f
}

// Shutdown implements component.Component. With storage, the next start goes on with
// the records that wait for continuation lines, and with what the pipeline does not
// accept any more. Without, those that wait are delivered as they are.
func (r *runtimeLog) Shutdown(ctx context.Context) error {
	if r.stop == nil {
		return nil // was never started
	}
	// The background first: reading waits for the file that it delivers records of.
	r.stop()
	r.background.Wait()
	err := r.manager.Stop()
	if r.checkpoints != nil {
		err = errors.Join(err, r.checkpoints.Close(ctx))
	} else {
		finish, cancel := context.WithTimeout(ctx, finishTimeout)
		defer cancel()
		for _, f := range r.files.list() {
			r.finish(finish, f)
		}
	}
	r.telemetry.Shutdown()
	return err
}
