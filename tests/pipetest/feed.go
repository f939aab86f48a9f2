package pipetest

import (
	"context"
	"errors"
	"fmt"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/processor"
)

// feed runs a processor through its whole life, inside a synctest bubble, and
// returns what came out as OTLP JSON.
func feed(ctx context.Context, factory processor.Factory, config component.Config, steps []step) (documents [][]byte, err error) {
	out := &recorder{}
	running := &instances{factory: factory, config: config, next: out, bySignal: map[string]*instance{}}
	// Also after an error, for a goroutine left in the bubble would hide it.
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
		// What the step sets off in the background comes out before the next step.
		synctest.Wait()
	}
	return nil, nil
}

// instances holds one processor per signal of the input, all with the same
// configuration, as when several pipelines name one processor.
type instances struct {
	factory  processor.Factory
	config   component.Config
	next     *recorder
	bySignal map[string]*instance
}

// consume gives a batch to its signal's processor, which is created and started
// on first use.
func (is *instances) consume(ctx context.Context, b batch) error {
	signal := fmt.Sprintf("%T", b)
	i := is.bySignal[signal]
	if i == nil {
		var err error
		if i, err = newInstance(ctx, is.factory, is.config, b, is.next); err != nil {
			return fmt.Errorf("create for %s: %w", signal, err)
		}
		if err := i.Start(ctx, componenttest.NewNopHost()); err != nil {
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
