package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

const (
	// starts of each collector are timed, one after another.
	starts = 9
	// askedEvery is how often a collector that starts is asked whether it is up.
	askedEvery = time.Millisecond
)

const footprintHead = `| collector | binary, MB | start to healthy, ms | quartiles | at rest: RSS MiB | anonymous | mapped |
| --- | ---: | ---: | :---: | ---: | ---: | ---: |
`

// footprints say what a collector takes before it does anything.
func (r runner) footprints(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, footprintHead)
	up := config("health")
	for _, p := range []pipeline{
		stockDefault.pipeline("otlp → nop", up),
		asShipped.pipeline("otlp → nop", up),
		asShipped.files("builtin:dev", "builtin:dev"),
		agentAtWork,
		gatewayProfile,
	} {
		if err := r.footprint(ctx, w, p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

func (r runner) footprint(ctx context.Context, w io.Writer, p pipeline) error {
	info, err := os.Stat(r.binaries[p.of])
	if err != nil {
		return err
	}
	var took []float64
	var rests memory
	for n := range starts {
		up, err := r.startUp(ctx, p, func(started *process) (err error) {
			if n == starts-1 {
				wait(ctx, settled)
				rests, err = memoryOf(started.pid)
			}
			return err
		})
		if err != nil {
			return err
		}
		took = append(took, up.Seconds()*1000)
	}
	times := quartilesOf(took)
	fmt.Fprintf(w, "| %s | %.1f | %.0f | %.0f to %.0f | %d | %d | %d |\n", p, float64(info.Size())/1e6,
		times.median, times.lower, times.upper, (rests.anon+rests.file)>>20, rests.anon>>20, rests.file>>20)
	return nil
}

// startUp starts a collector, waits until it is healthy, and stops it after what then is to do.
func (r runner) startUp(ctx context.Context, p pipeline, then func(*process) error) (took time.Duration, err error) {
	addresses, err := loopback.FreeAddresses(3)
	if err != nil {
		return 0, err
	}
	state, err := os.MkdirTemp("", "otelcol-tc-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(state)
	nobody := &sink{grpcAddress: "127.0.0.1:1", httpAddress: "127.0.0.1:1"}
	env := append(profileEnv(addresses[0], addresses[1], state, nobody), "BENCH_GRPC_ENDPOINT="+addresses[0],
		"OTELCOL_TC_HEALTH_ENDPOINT="+addresses[2], "OTELCOL_TC_DATA="+state)
	begin := time.Now()
	started, err := startProcess(ctx, r.binaries[p.of], p.gc, p.configs, addresses[1], env)
	if err != nil {
		return 0, err
	}
	err = started.healthy(ctx, addresses[2])
	took = time.Since(begin)
	if err == nil {
		err = then(started)
	}
	started.stop()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, started.log.Bytes())
	}
	return took, err
}

// healthy waits until the process says that it is.
func (p *process) healthy(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address, nil)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-p.exited:
			return errors.New("ended before it was healthy")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(askedEvery):
		}
	}
}
