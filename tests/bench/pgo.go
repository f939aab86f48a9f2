// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

const (
	// profileVariable names the address where a binary built with the tag cpuprofile serves
	// its profiles.
	profileVariable = "OTELCOL_TC_PPROF_ADDRESS"
	// profiled is how long each pipeline is kept busy.
	profiled = 10 * time.Second
)

// profileTo writes one CPU profile of all that ours does to a file.
func (r runner) profileTo(ctx context.Context, path string) error {
	trials, err := profiledTrials(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "otelcol-tc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var parts []string
	for _, t := range trials {
		for _, p := range t.pipelines {
			fmt.Printf("%s, %s\n", t.load, p)
			part := filepath.Join(dir, fmt.Sprint(len(parts)))
			if err := r.profile(ctx, p, t.load, part); err != nil {
				return fmt.Errorf("%s, %s: %w", t.load, p, err)
			}
			parts = append(parts, part)
		}
	}
	return mergeProfiles(ctx, path, parts)
}

// profiledTrials are the profiles at work.
func profiledTrials(ctx context.Context) (all []trial, err error) {
	loads, err := profileLoads(ctx)
	for _, l := range loads {
		all = append(all, trial{l, []pipeline{l.profile}})
	}
	return all, err
}

// profile keeps a pipeline busy, and writes its profile of that time.
func (r runner) profile(ctx context.Context, p pipeline, l load, path string) error {
	addresses, err := loopback.FreeAddresses(1)
	if err != nil {
		return err
	}
	p.env = append(p.env, profileVariable+"="+addresses[0])
	t, err := r.binaries.startTarget(ctx, p, l)
	if err != nil {
		return err
	}
	defer t.stop()
	// Heaps grow to their size, and names become known.
	if _, err := t.measure(ctx, r.lengths); err != nil {
		return t.failed(err)
	}
	fetched := make(chan error, 1)
	go func() { fetched <- fetchProfile(ctx, addresses[0], path) }()
	for {
		select {
		case err := <-fetched:
			return err
		default:
		}
		if _, err := t.measure(ctx, r.lengths); err != nil {
			return t.failed(err)
		}
	}
}

// fetchProfile gets a CPU profile, which takes as long as it profiles.
func fetchProfile(ctx context.Context, address, path string) error {
	content, err := profileOf(ctx, address, fmt.Sprintf("profile?seconds=%.0f", profiled.Seconds()))
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// profileOf gets what net/http/pprof serves by that name.
func profileOf(ctx context.Context, address, name string) ([]byte, error) {
	body, err := get(ctx, fmt.Sprintf("http://%s/debug/pprof/%s", address, name))
	if err != nil {
		return nil, fmt.Errorf("%s: is --binary built with the tag cpuprofile? %w", profileVariable, err)
	}
	defer body.Close()
	return io.ReadAll(body)
}

// mergeProfiles adds profiles up, by the tool that Go has for it.
func mergeProfiles(ctx context.Context, path string, parts []string) error {
	command := exec.CommandContext(ctx, "go", append([]string{"tool", "pprof", "-proto", "-output", path}, parts...)...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go tool pprof: %w\n%s", err, output)
	}
	return nil
}
