// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/pprof/profile"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

const (
	// profileVariable names the address where a binary built with the tag cpuprofile serves
	// its profiles.
	profileVariable = "OTELCOL_TC_PPROF_ADDRESS"
	// profiled is how long each pipeline is kept busy.
	profiled = 10 * time.Second
)

// profileTo writes one CPU profile of all that the profiles do to a file.
func (r runner) profileTo(ctx context.Context, path string) error {
	loads, err := profileLoads(ctx)
	if err != nil {
		return err
	}
	var parts []*profile.Profile
	for _, l := range loads {
		fmt.Printf("%s, %s\n", l, l.profile)
		part, err := r.profile(ctx, l)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", l, l.profile, err)
		}
		parts = append(parts, part)
	}
	all, err := profile.Merge(parts)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(all.Write(file), file.Close())
}

// profile keeps a profile busy, and returns its CPU profile of that time.
func (r runner) profile(ctx context.Context, l *profileLoad) (*profile.Profile, error) {
	t, address, err := r.binaries.startProfiled(ctx, l.profile, l)
	if err != nil {
		return nil, err
	}
	defer t.stop()
	// Heaps grow to their size, and names become known.
	if _, err := t.measure(ctx, r.lengths.measured); err != nil {
		return nil, t.failed(err)
	}
	var cpu *profile.Profile
	fetched := make(chan error, 1)
	go func() {
		var err error
		cpu, err = fetchProfile(ctx, address, cpuProfile(profiled))
		fetched <- err
	}()
	for {
		select {
		case err := <-fetched:
			return cpu, err
		default:
		}
		if _, err := t.measure(ctx, r.lengths.measured); err != nil {
			return nil, t.failed(err)
		}
	}
}

// startProfiled runs a binary that serves its profiles at the address.
func (b binaries) startProfiled(ctx context.Context, p pipeline, l *profileLoad) (t *target, address string, err error) {
	addresses, err := loopback.FreeAddresses(1)
	if err != nil {
		return nil, "", err
	}
	p.env = append(p.env, profileVariable+"="+addresses[0])
	t, err = b.startTarget(ctx, p, l)
	return t, addresses[0], err
}

// cpuProfile names a CPU profile, which takes as long to get as it profiles.
func cpuProfile(period time.Duration) string {
	return fmt.Sprintf("profile?seconds=%.0f", period.Seconds())
}

// fetchProfile gets what net/http/pprof serves by that name.
func fetchProfile(ctx context.Context, address, name string) (*profile.Profile, error) {
	body, err := get(ctx, fmt.Sprintf("http://%s/debug/pprof/%s", address, name))
	if err != nil {
		return nil, fmt.Errorf("%s: is --binary built with the tag cpuprofile? %w", profileVariable, err)
	}
	defer body.Close()
	content, readErr := io.ReadAll(body)
	p, parseErr := profile.ParseData(content)
	return p, cmp.Or(readErr, parseErr)
}
