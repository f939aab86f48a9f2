// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
)

// build is one of the binaries that are compared.
type build string

const (
	// shipped is ours as it is released, with what default.pgo tells the compiler.
	shipped build = "ours"
	// plain is ours without that.
	plain build = "ours, no profile"
	// stock is built from peers/.
	stock build = "stock"
)

// binaries are where the builds are.
type binaries map[build]string

// checkAll fails before anything is measured.
func (b binaries) checkAll(ctx context.Context, asked []suite, of scope) error {
	for _, s := range asked {
		trials, err := s.trials(ctx, of)
		if err != nil {
			return err
		}
		if err := b.check(trials); err != nil {
			return err
		}
	}
	return nil
}

// check fails when one that is asked for is not there.
func (b binaries) check(all []trial) error {
	for _, t := range all {
		for _, p := range t.pipelines {
			if _, err := os.Stat(b[p.of]); err != nil {
				return fmt.Errorf("%s: %w: run make bench-binaries", p.of, err)
			}
		}
	}
	return nil
}
