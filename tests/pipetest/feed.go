// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"context"
	"errors"
	"fmt"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/processor"
)

// feed runs a processor from start to shutdown in a synctest bubble, and returns its output as OTLP JSON.
func feed(ctx context.Context, factory processor.Factory, config component.Config, host component.Host, steps []step) (documents [][]byte, err error) {
	out := &recorder{}
	running := &instances{factory: factory, config: config, host: host, next: out, bySignal: map[string]*instance{}}
	// Also after an error, because a goroutine left in the bubble would hide the error.
	defer func() {
		err = errors.Join(err, running.shutdown(ctx))
		documents = out.documents
	}()
	for number, s := range steps {
		if s.batch == nil {
			time.Sleep(s.wait)
		} else if err := running.consume(ctx, s.batch); err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", inputFile, number+1, err)
		}
		// Background work of this step ends before the next step.
		synctest.Wait()
	}
	return nil, nil
}

// instances holds one processor for each signal of the input. They share a configuration, like processors
// of the same name in several pipelines.
type instances struct {
	factory  processor.Factory
	config   component.Config
	host     component.Host
	next     *recorder
	bySignal map[string]*instance
}

// consume passes a batch to its signal's processor. It creates and starts the processor for the first
// batch.
func (is *instances) consume(ctx context.Context, b batch) error {
	signal := fmt.Sprintf("%T", b)
	i := is.bySignal[signal]
	if i == nil {
		var err error
		if i, err = newInstance(ctx, is.factory, is.config, b, is.next); err != nil {
			return fmt.Errorf("create for %s: %w", signal, err)
		}
		if err := i.Start(ctx, is.host); err != nil {
			return fmt.Errorf("start for %s: %w", signal, err)
		}
		is.bySignal[signal] = i
	}
	return i.consume(ctx, b)
}

func (is *instances) shutdown(ctx context.Context) error {
	var errs []error
	for signal, i := range is.bySignal {
		if err := i.Shutdown(ctx); err != nil {
			errs = append(errs, fmt.Errorf("shut down for %s: %w", signal, err))
		}
	}
	return errors.Join(errs...)
}
