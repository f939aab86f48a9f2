// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

// maxOnDisk is how much spans that wait take on disk, in parts of the memory that they may take. There they take a quarter
// of it, and those that went on stay until all before them have gone on.
const maxOnDisk = 4

// keep stores spans that wait before their batch goes on, so that those come again whose process was killed. It does not wait
// for the disk: the kernel has what a killed process has written.
type keep struct {
	logger *zap.Logger
	mu     sync.Mutex // guards what follows, and keeps records in the order of their numbers
	queue  *diskqueue.Queue
	next   uint64       // number of the next record
	stored []*keptBatch // those that are on disk, in this order
	failed bool         // to store the last one
}

// keptBatch is a record: the number, then spans of one batch as OTLP.
type keptBatch struct {
	number uint64
	bytes  int
	left   int // how many spans have not gone on
}

func (l *linker) openKeep() error {
	queue, found, err := diskqueue.Open(diskqueue.Settings{
		Directory: l.config.StateDirectory, MaxBytes: maxOnDisk * int64(l.config.MaxHeldMib) << 20,
	})
	if err != nil {
		return fmt.Errorf("state_directory: must be one that can be written, and be used in one pipeline only (got %q): %w", l.config.StateDirectory, err)
	}
	l.keep = &keep{logger: l.set.Logger, queue: queue}
	if found.Damaged > 0 || found.ReadError != nil {
		l.set.Logger.Error("Spans that waited when the process was killed are lost: they cannot be read", zap.Int64("bytes", found.Damaged), zap.Error(found.ReadError))
	}
	return nil
}

// add stores the spans.
func (k *keep) add(spans []*heldSpan) error {
	otlp, err := marshaler.MarshalTraces(render(spans))
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	record := append(binary.LittleEndian.AppendUint64(nil, k.next), otlp...)
	err = k.queue.Append(record, len(spans))
	if err != nil && !k.failed {
		k.logger.Warn("Spans do not wait for an earlier one, because they cannot be stored", zap.Error(err))
	}
	k.failed = err != nil
	if err == nil {
		batch := k.note(k.next, len(record), len(spans))
		for _, s := range spans {
			s.batch = batch
		}
	}
	return err
}

func (k *keep) note(number uint64, bytes, spans int) *keptBatch {
	batch := &keptBatch{number, bytes, spans}
	k.stored = append(k.stored, batch)
	k.next = number + 1
	return batch
}

// remove removes spans that somebody else has: the next component, or their sender.
func (k *keep) remove(spans []*heldSpan) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range spans {
		s.batch.left--
	}
	gone, bytes := 0, 0
	for gone < len(k.stored) && k.stored[gone].left == 0 {
		bytes += k.stored[gone].bytes
		gone++
	}
	if gone == 0 {
		return
	}
	end := k.stored[gone-1].number
	k.stored = k.stored[gone:]
	if err := k.removeUpTo(end, gone, bytes); err != nil {
		k.logger.Warn("Spans that waited come again after the next start", zap.Error(err))
	}
}

// removeUpTo removes so many records of some bytes. Others it reads only if it must.
func (k *keep) removeUpTo(end uint64, records, bytes int) error {
	for {
		n, err := k.queue.RemoveWhile(min(bytes, mostRead), func(r diskqueue.Record) bool { return numberOf(r) <= end })
		if records -= n; records <= 0 || n == 0 || err != nil {
			return err
		}
	}
}

// mostRead is how much of the queue is read at a time, if a record is not larger.
const mostRead = 1 << 20

// numberOf returns a record's number, or 0 if it is none of ours.
func numberOf(r diskqueue.Record) uint64 {
	if len(r.Payload) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(r.Payload)
}

// restore lets the spans come again that waited when the process ended. They wait for the whole of their rule's hold.
func (l *linker) restore(ctx context.Context) error {
	records, err := l.keep.queue.Peek(math.MaxInt)
	if err != nil {
		return fmt.Errorf("state_directory: %w", err)
	}
	var unmarshaler ptrace.ProtoUnmarshaler
	for _, r := range records {
		td, err := unmarshaler.UnmarshalTraces(r.Payload[min(8, len(r.Payload)):])
		if err != nil {
			l.set.Logger.Error("Spans that waited are lost: they cannot be read", zap.Int("spans", r.Items), zap.Error(err))
			td = ptrace.NewTraces()
		}
		p := pending{batch: l.keep.note(numberOf(r), len(r.Payload), td.SpanCount())}
		if _, err := l.process(context.WithValue(ctx, pendingKey{}, &p), td); err == nil {
			p.take(td, func(span ptrace.Span) *heldSpan { // these have been decided
				return &heldSpan{linker: l, bytes: heldBytes + sizeFactor*marshaler.SpanSize(span)}
			})
		}
		for _, s := range p.spans {
			s.batch = p.batch
		}
		l.hold(ctx, &p)
	}
	l.keep.remove(nil) // records without spans
	return nil
}

func (k *keep) close() error {
	if k == nil {
		return nil
	}
	return k.queue.Close()
}
