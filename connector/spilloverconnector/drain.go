// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

const (
	// maxDeaths is how often the process may die of a record before the record is set aside.
	maxDeaths = 3
	// deathWindow is how long an attempt counts as the reason of the process's death. What kills does so
	// at once, and an attempt that waits for an answer is not the reason if somebody kills the process.
	deathWindow = time.Second
	// readPause is how long the worker waits after the queue could not be read, or dead letters not be kept.
	readPause = time.Second
)

// drain sends what is in the queue, in order, until the connector stops.
func (s *spillover[T]) drain() {
	for s.waitForRecords() {
		if g, ok := s.take(); ok && s.settle(g) {
			s.remove(g.records)
		}
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
func (s *spillover[T]) take() (*group[T], bool) {
	records, err := s.queue.Peek(s.cfg.Batch.MaxSize)
	if err != nil {
		s.logger.Error("Cannot read the queue", zap.String("directory", s.directory), zap.Error(err))
		s.pause(readPause)
		return nil, false
	}
	if len(records) == 0 {
		return nil, false
	}
	if g := s.ahead[records[0].Place]; g != nil {
		delete(s.ahead, records[0].Place)
		return g, true
	}
	deaths := s.begin()
	if deaths >= maxDeaths {
		s.setAside(records[0], "the process died of it")
		return nil, false
	}
	if deaths > 0 {
		records = records[:1] // if the process dies of several, it is not known which one was the reason
	}
	g, err := s.decode(records)
	if g == nil {
		s.setAside(records[0], "it cannot be decoded: "+err.Error())
		return nil, false
	}
	if len(s.ahead) > 0 {
		g.parts[0].doubted = s.accepted.Load() - 1 // it was refused before what is behind it was accepted
	}
	return g, true
}

// decode merges records to a group, up to one that is in another group or cannot be decoded. It fails if that is the
// first record.
func (s *spillover[T]) decode(records []diskqueue.Record) (*group[T], error) {
	var merged T
	var failed error
	n := 0
	for _, record := range records {
		if s.ahead[record.Place] != nil {
			break
		}
		var batch T
		if batch, failed = s.signal.unmarshal(record.Payload); failed != nil {
			break
		}
		if n == 0 {
			merged = batch
		} else {
			s.signal.add(merged, batch)
		}
		n++
	}
	if n == 0 && failed != nil {
		return nil, failed
	}
	return &group[T]{
		parts: []part[T]{{batch: merged, doubted: never}}, records: n, next: records[n-1].Next, began: s.accepted.Load(),
	}, nil
}

// attempt sends a part from the queue once. After a failure the part has what was not accepted.
func (s *spillover[T]) attempt(p *part[T]) error {
	items := s.signal.items(p.batch)
	s.begin()
	counts := time.AfterFunc(deathWindow, s.end)
	slow := time.AfterFunc(s.cfg.Patience, func() { s.draining.Store(false) })
	left, err := s.try(s.stopping, p.batch)
	slow.Stop()
	counts.Stop()
	s.end()
	s.draining.Store(err == nil)
	if err != nil {
		p.batch = left
		if errors.Is(err, errAbandoned) {
			p.batch = s.signal.copy(left) // the abandoned call may still read left, while this one is cut or merged
		}
		s.report.failed(queued)
		s.report.sent(queued, items-s.signal.items(left))
		return err
	}
	s.accepted.Add(1)
	s.report.sent(queued, items)
	s.report.flows()
	return nil
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

// setAside takes a record out of the queue without sending it, if it can be kept.
func (s *spillover[T]) setAside(record diskqueue.Record, why string) {
	kept := s.letters.Raw(record.Payload)
	if !kept && s.cfg.DeadLetterSize > 0 {
		s.report.waits(lettersFull, errors.New(why))
		s.pause(readPause)
		return
	}
	s.report.setAside(record.Items, kept, why)
	s.remove(1)
}

// letter keeps a batch as a dead letter, if there is room. Data that its sender still has leaves room for other data.
func (s *spillover[T]) letter(batch T, spare bool) bool {
	line, err := s.signal.line(batch)
	return err == nil && s.letters.Line(line, spare)
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
