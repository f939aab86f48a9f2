// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

const (
	// maxDeaths is how often the process may die of a record before the record is set aside.
	maxDeaths = 3
	// deathWindow is how long an attempt counts as the reason of the process's death. What kills does so
	// at once, and an attempt that waits for an answer is not the reason if somebody kills the process.
	deathWindow = time.Second
	// readPause is how long the worker waits after the queue could not be read.
	readPause = time.Second
)

// head is what is sent together from the head of the queue.
type head[T any] struct {
	batch   T
	records []diskqueue.Record
	items   int
}

// drain sends what is in the queue, in order, until the connector stops.
func (s *spillover[T]) drain() {
	alone := 0 // so many records are sent alone, because the next component refused them together
	for s.waitForRecords() {
		h, ok := s.take(alone > 0)
		if !ok {
			continue
		}
		err := s.deliver(&h)
		switch {
		case err == nil:
			s.report.sent(queued, h.items)
		case !delivery.Refused(err): // the connector stops
			return
		case len(h.records) > 1:
			alone = len(h.records)
			continue
		default:
			s.refused(queued, h.batch, err)
		}
		alone = max(alone-1, 0)
		s.remove(len(h.records))
	}
}

// waitForRecords reports whether the queue has records. It returns false when the connector stops.
func (s *spillover[T]) waitForRecords() bool {
	for s.stopping.Err() == nil {
		if !s.queue.Empty() {
			return true
		}
		select {
		case <-s.added:
		case <-s.stopping.Done():
		}
	}
	return false
}

// take decodes records from the head of the queue. It sets aside records that it cannot decode, and records
// that ended the process.
func (s *spillover[T]) take(alone bool) (head[T], bool) {
	var h head[T]
	records, err := s.queue.Peek(s.cfg.Batch.MaxSize)
	if err != nil {
		s.logger.Error("Cannot read the queue", zap.String("directory", s.directory), zap.Error(err))
		s.pause(readPause)
		return h, false
	}
	if len(records) == 0 {
		return h, false
	}
	deaths := s.begin()
	if deaths >= maxDeaths {
		s.setAside(records[0], "the process died of it")
		return h, false
	}
	// If the process dies while records are sent together, it is not known which one was the reason.
	alone = alone || deaths > 0
	for _, record := range records {
		batch, err := s.signal.unmarshal(record.Payload)
		if err != nil {
			if len(h.records) == 0 {
				s.setAside(record, "it cannot be decoded: "+err.Error())
				return h, false
			}
			break
		}
		if len(h.records) == 0 {
			h.batch = batch
		} else {
			s.signal.add(h.batch, batch)
		}
		h.records = append(h.records, record)
		h.items += record.Items
		if alone {
			break
		}
	}
	return h, true
}

// deliver sends the head until the next component accepts or refuses it, or the connector stops.
func (s *spillover[T]) deliver(h *head[T]) error {
	attempt := func() error {
		s.begin()
		counts := time.AfterFunc(deathWindow, s.end)
		slow := time.AfterFunc(s.cfg.Patience, func() { s.draining.Store(false) })
		left, err := s.try(s.stopping, h.batch)
		slow.Stop()
		counts.Stop()
		s.end()
		s.draining.Store(err == nil)
		if err != nil && !delivery.Refused(err) {
			h.batch = left
			s.report.failed(queued)
		}
		return err
	}
	return delivery.Retry(s.stopping, attempt(), nil, attempt)
}

// begin marks the head of the queue as being sent, and returns how often the process died of it.
func (s *spillover[T]) begin() int {
	deaths, err := s.queue.Begin()
	if err != nil {
		s.logger.Debug("Cannot mark the head of the queue", zap.Error(err))
	}
	return deaths
}

func (s *spillover[T]) end() {
	if err := s.queue.End(); err != nil {
		s.logger.Debug("Cannot mark the head of the queue", zap.Error(err))
	}
}

// setAside takes a record out of the queue without sending it.
func (s *spillover[T]) setAside(record diskqueue.Record, why string) {
	kept := s.letters.Raw(record.Payload)
	s.report.setAside(record.Items, kept, why)
	s.remove(1)
}

func (s *spillover[T]) remove(records int) {
	if err := s.queue.Remove(records); err != nil {
		// What was sent comes twice after a crash. Nothing is lost.
		s.logger.Warn("Cannot store the position in the queue", zap.String("directory", s.directory), zap.Error(err))
	}
	if s.queue.Empty() {
		s.report.drained()
	}
}

func (s *spillover[T]) pause(d time.Duration) {
	ctx, cancel := context.WithTimeout(s.stopping, d)
	defer cancel()
	<-ctx.Done()
}
