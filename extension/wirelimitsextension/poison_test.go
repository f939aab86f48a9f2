// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/poison"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// deathAt returns the directory that a process leaves if it dies while it handles requests.
func deathAt(t *testing.T, state string, handled ...func(*testing.T, *rig)) (left string) {
	t.Helper()
	arrived, release := make(chan struct{}), make(chan struct{})
	r := newRigWith(t, func(context.Context) error { arrived <- struct{}{}; <-release; return nil },
		func(c *Config) { c.Directory = state })
	done := make(chan struct{})
	for _, handle := range handled {
		go func() { handle(t, r); done <- struct{}{} }()
		receive(t, arrived)
	}
	left = t.TempDir()
	require.NoError(t, os.CopyFS(left, os.DirFS(state)))
	close(release)
	for range handled {
		receive(t, done)
	}
	return left
}

// receive fails the test when nothing arrives.
func receive(t *testing.T, from <-chan struct{}) {
	t.Helper()
	select {
	case <-from:
	case <-time.After(time.Minute):
		require.Fail(t, "nothing came")
	}
}

func TestPoison(t *testing.T) {
	for name, over := range transports {
		for _, sent := range requests(10, 1) {
			t.Run(name+sent.path, func(t *testing.T) {
				state := t.TempDir()
				var innocent request
				for i := range poison.MaxStrikes {
					innocent = requests(1, 2+i)[0] // another one each time
					state = deathAt(t, state,
						func(t *testing.T, r *rig) { over.send(t, r, sent) },
						func(t *testing.T, r *rig) { over.send(t, r, innocent) })
				}
				r := newRig(t, func(c *Config) { c.Directory = state })
				for range 2 {
					assert.Equal(t, codes.InvalidArgument, over.send(t, r, sent).Code())
				}
				assert.Nil(t, r.arrived(t, sent.path))
				assert.Equal(t, codes.OK, over.send(t, r, innocent).Code())

				files, err := filepath.Glob(filepath.Join(state, "set-aside", "*-"+sent.path[len("/v1/"):]+"-*."+over.extension))
				require.NoError(t, err)
				require.Len(t, files, 1)
				kept, err := os.ReadFile(files[0])
				require.NoError(t, err)
				assert.Equal(t, sent.body(t, over.extension == "json"), kept)
				assert.EqualValues(t, 2, r.refused()["poison "+over.name])
				assert.Equal(t, map[string]int64{sent.path[len("/v1/"):] + " " + over.name: 1},
					r.counted("otelcol_wire_limits_set_aside_requests", "signal", "transport"))
				assert.Equal(t, map[string]int64{"": 2}, r.counted("otelcol_wire_limits_unfinished_requests"))
				assert.Equal(t, 1, r.logged.FilterMessageSnippet("A request was set aside").Len())
			})
		}
	}
}

// A request that cannot be set aside is not lost: its client is told to retry.
func TestPoisonThatCannotBeKept(t *testing.T) {
	state, sent := t.TempDir(), requests(1, 1)[0]
	for range poison.MaxStrikes {
		state = deathAt(t, state, func(t *testing.T, r *rig) { transports["grpc"].send(t, r, sent) })
	}
	require.NoError(t, os.WriteFile(filepath.Join(state, "set-aside"), nil, 0o600))
	r := newRig(t, func(c *Config) { c.Directory = state })
	assert.Equal(t, codes.Unavailable, transports["grpc"].send(t, r, sent).Code())
	assert.Equal(t, codes.Unavailable, transports["protobuf"].send(t, r, sent).Code())
	require.NoError(t, os.Remove(filepath.Join(state, "set-aside")))
	assert.Equal(t, codes.InvalidArgument, status.Code(export(t.Context(), dial(t, r.grpc), sent)))
}

// Without a usable directory, the collector runs without a journal.
func TestDirectoryThatCannotBeUsed(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Directory = testfiles.Save(t, "file", "") })
	assert.Equal(t, 1, r.logged.FilterMessageSnippet("directory: cannot record which requests are handled.").Len())
	assert.NoError(t, export(t.Context(), dial(t, r.grpc), requests(1, 1)[0]))
}
