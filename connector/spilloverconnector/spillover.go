// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/batcher"
	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/deadletter"
	"github.com/otelcol-tc/otelcol-tc/internal/disk"
	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

// spillover is the connector of one signal.
type spillover[T data[T]] struct {
	cfg     *Config
	signal  signal[T]
	batcher *batcher.Batcher[T]
	logger  *zap.Logger
	report  *report

	next    func(context.Context, T) error
	mutates bool // next may change what it gets

	directory string
	queue     *diskqueue.Queue
	letters   *deadletter.Box
	added     chan struct{} // has an element if the queue may have new records
	draining  atomic.Bool   // the last attempt to send from the queue succeeded
	wanted    atomic.Int64  // bytes of the last record if the queue had no room for it, or 0

	// A queue of refused records only that has no room left cannot get a record that is accepted.
	accepted atomic.Int64 // attempts that succeeded: those of the worker, and others while all in the queue is refused
	appended atomic.Int64 // records that were added, from 1 on
	refused  atomic.Int64 // appended when all in the queue had been refused, or 0

	// This belongs to the worker.
	ahead  map[diskqueue.Place]*group[T] // groups behind the head that were accepted in part, by their first record
	window window

	stopping context.Context // ends with the shutdown
	stop     context.CancelFunc
	worker   sync.WaitGroup
}

func newSpillover[T data[T]](set connector.Settings, cfg *Config, limits batcher.Settings, signal signal[T], next func(context.Context, T) error, can consumer.Capabilities) (*spillover[T], error) {
	// Not in Validate, because generated tests need valid defaults.
	if cfg.Directory == "" {
		return nil, errNoDirectory
	}
	s := &spillover[T]{
		cfg: cfg, signal: signal, logger: set.Logger, next: next, mutates: can.MutatesData,
		directory: filepath.Join(cfg.Directory, folder(set.ID), signal.name.String()),
		added:     make(chan struct{}, 1),
		ahead:     map[diskqueue.Place]*group[T]{},
		window:    newWindow(cfg.Batch.MaxSize),
	}
	s.batcher = batcher.New(limits, batcher.Signal[T]{
		Size: signal.size, Merge: signal.merge, Split: signal.split, Room: s.room, Items: signal.items,
		Cut: func(batch T, keep int) (T, T) { rest := signal.cut(batch, keep); return batch, rest },
	}, s.send)
	s.appended.Store(1)
	s.stopping, s.stop = context.WithCancel(context.Background())
	var err error
	s.report, err = newReport(set, signal.name, s.state)
	return s, err
}

// folder returns the name of a connector's folder.
func folder(id component.ID) string {
	if id.Name() == "" {
		return id.Type().String()
	}
	// A name may have slashes.
	return id.Type().String() + "_" + url.PathEscape(id.Name())
}

// Start opens the queue, and sends what is in it.
func (s *spillover[T]) Start(ctx context.Context, host component.Host) error {
	files := disk.From(ctx)
	queue, found, err := diskqueue.Open(diskqueue.Settings{
		Directory: filepath.Join(s.directory, "queue"), MaxBytes: int64(s.cfg.QueueSize), MinFreeBytes: int64(s.cfg.MinFree), Sync: s.cfg.Fsync, Files: files,
	})
	if err != nil {
		return fmt.Errorf("directory: must be one that the collector can write to (got %q): %w", s.cfg.Directory, err)
	}
	s.queue = queue
	s.letters = deadletter.New(files, s.directory, int64(s.cfg.DeadLetterSize), s.cfg.Fsync)
	s.report.opened(host, s.directory, found)
	s.worker.Go(s.drain)
	return nil
}

// Capabilities says that data which others read too stays as it is: parts of it are copied when they are merged or
// split.
func (*spillover[T]) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// Shutdown ends all attempts, so that what waits goes to the queue. What is in the queue stays there.
func (s *spillover[T]) Shutdown(context.Context) error {
	s.stop()
	s.batcher.Shutdown()
	s.worker.Wait()
	s.report.shutdown()
	if s.queue == nil {
		return nil
	}
	return s.queue.Close()
}

// state returns what the gauges show.
func (s *spillover[T]) state() state {
	if s.queue == nil {
		return state{}
	}
	st := state{Stats: s.queue.Stats(), capacity: int64(s.cfg.QueueSize), draining: s.draining.Load()}
	if wanted := s.wanted.Load(); wanted > 0 {
		if err := s.queue.Room(1, int(wanted)); err != nil {
			st.full = reason(err)
		}
	}
	return st
}
