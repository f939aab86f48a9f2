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

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/deadletter"
	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

// spillover is the connector of one signal. It runs behind exporterhelper's batcher.
type spillover[T any] struct {
	cfg    *Config
	signal signal[T]
	logger *zap.Logger
	report *report

	next    func(context.Context, T) error
	mutates bool // next may change what it gets

	directory string
	queue     *diskqueue.Queue
	letters   *deadletter.Box
	added     chan struct{} // has an element if the queue may have new records
	draining  atomic.Bool   // the last attempt to send from the queue succeeded
	wanted    atomic.Int64  // bytes of the last record if the queue had no room for it, or 0

	stopping context.Context // ends with the shutdown
	stop     context.CancelFunc
	worker   sync.WaitGroup
}

func newSpillover[T any](set connector.Settings, cfg *Config, signal signal[T], next func(context.Context, T) error, can consumer.Capabilities) (*spillover[T], error) {
	// Not in Validate, because generated tests need valid defaults.
	if cfg.Directory == "" {
		return nil, errNoDirectory
	}
	s := &spillover[T]{
		cfg: cfg, signal: signal, logger: set.Logger, next: next, mutates: can.MutatesData,
		directory: filepath.Join(cfg.Directory, folder(set.ID), signal.name.String()),
		added:     make(chan struct{}, 1),
	}
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

func (s *spillover[T]) start(context.Context, component.Host) error {
	queue, found, err := diskqueue.Open(diskqueue.Settings{
		Directory: filepath.Join(s.directory, "queue"), MaxBytes: int64(s.cfg.QueueSize), MinFreeBytes: int64(s.cfg.MinFree), Sync: s.cfg.Fsync,
	})
	if err != nil {
		return fmt.Errorf("directory: must be one that the collector can write to (got %q): %w", s.cfg.Directory, err)
	}
	s.queue = queue
	s.letters = deadletter.New(s.directory, int64(s.cfg.DeadLetterSize))
	s.report.opened(s.directory, found)
	s.worker.Go(s.drain)
	return nil
}

// shutdown runs after that of the batcher, which has sent or kept everything by then. What is in
// the queue stays there.
func (s *spillover[T]) shutdown(context.Context) error {
	s.stop()
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
		if err := s.queue.Room(int(wanted)); err != nil {
			st.full = reason(err)
		}
	}
	return st
}
