// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// tick is the unit of ages.
const tick = time.Second / 64

// life is an index between a start and a stop.
type life struct {
	*memory
	t    *testing.T
	logs *observer.ObservedLogs
}

// live starts an index with a directory.
func live(t *testing.T, directory string, change func(*Config)) *life {
	t.Helper()
	cfg := with(func(cfg *Config) {
		cfg.MaxMemoryMib = 1
		cfg.StateDirectory = directory
		if change != nil {
			change(cfg)
		}
	})
	core, logs := observer.New(zap.InfoLevel)
	set := extensiontest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	e, err := NewFactory().Create(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	return &life{e.(*memory), t, logs}
}

func (l *life) end() {
	l.t.Helper()
	require.NoError(l.t, l.Shutdown(l.t.Context()))
}

// all returns what the index has of keys up to a number.
func (l *life) all(keys int) (texts []string) {
	l.t.Helper()
	for key := range keys {
		texts = append(texts, indextest.Written(indextest.One(l.t, l, indextest.Look(key))))
	}
	return texts
}

// copyOf returns what another process would find now if this one was killed.
func copyOf(t *testing.T, directory string) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(directory)))
	return to
}

// segments returns the files of the journal.
func segments(t *testing.T, directory string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, "journal", "*.segment"))
	require.NoError(t, err)
	return paths
}

func TestMembersSurviveRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		random := rand.New(rand.NewPCG(5, 6))
		right := &indextest.Oracle{Window: 10 * time.Minute}
		begun := time.Now()
		for mib := range 20 { // also fewer shards than before, and more
			l := live(t, directory, func(cfg *Config) { cfg.MaxMemoryMib = 1 + mib*7%20 })
			for range 200 {
				time.Sleep(time.Duration(random.IntN(64)) * tick)
				v := indextest.RandomRequest(random, 20)
				require.Equal(t, indextest.Ranked(right.Do(v, time.Since(begun))), indextest.One(t, l, v), "life %d", mib)
			}
			l.end()
			assert.Zero(t, l.logs.Len())
			if random.IntN(2) == 0 {
				time.Sleep(time.Duration(random.IntN(64*60)) * tick)
			}
		}
	})
}

// filled returns the directory of an index that had members of all kinds.
func filled(t *testing.T) (string, *life) {
	directory := t.TempDir()
	l := live(t, directory, nil)
	random := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		indextest.One(t, l, indextest.RandomRequest(random, 200))
		time.Sleep(10 * time.Millisecond)
	}
	l.end()
	return directory, l
}

// A full index is whole after a restart, and takes a bounded part of the disk.
func TestSegmentsOfAFullIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		l := live(t, directory, nil)
		for n := range uint64(60_000) {
			v := indextest.Join(0, 1)
			v.Key, v.Member.Held = indextest.HashedKey(n), true
			indextest.One(t, l, v)
			v.Op = correlation.Release
			indextest.One(t, l, v)
			if n%4000 == 0 {
				time.Sleep(time.Second)
			}
		}
		had := l.Members()
		l.end()
		size := int64(0)
		for _, path := range segments(t, directory) {
			info, err := os.Stat(path)
			require.NoError(t, err)
			size += info.Size()
		}
		assert.LessOrEqual(t, size, int64(4<<20))
		l = live(t, directory, nil)
		assert.Equal(t, had, l.Members())
		l.end()
	})
}

func TestNothingIsWrittenWithoutAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		l := live(t, directory, nil)
		defer l.end()
		size := func() (bytes int64) {
			for _, path := range segments(t, directory) {
				info, err := os.Stat(path)
				require.NoError(t, err)
				bytes += info.Size()
			}
			return bytes
		}
		writes := func(v correlation.Request) bool {
			before := size()
			indextest.One(t, l, v)
			return size() > before
		}
		assert.False(t, writes(indextest.Look(1)))
		assert.True(t, writes(indextest.Hold(1, 1)))
		assert.False(t, writes(indextest.Look(1)))
		assert.False(t, writes(indextest.Hold(1, 1)))
		assert.True(t, writes(indextest.Release(1, 1)))
		assert.False(t, writes(indextest.Release(1, 1)))
	})
}

// Nobody who reads the members of an index can test whether a value is among its keys.
func TestHashKeys(t *testing.T) {
	directory := t.TempDir()
	l := live(t, directory, nil)
	key := l.HashKey()
	assert.NotZero(t, key)
	l.end()
	l = live(t, directory, nil)
	assert.Equal(t, key, l.HashKey(), "that of the stored members")
	l.end()
	assert.NotEqual(t, key, startMemory(t, func(*Config) {}).HashKey())
	set := func(cfg *Config) { cfg.HashKey = "of all gateways" }
	key = startMemory(t, set).HashKey()
	assert.Equal(t, key, startShared(t, "127.0.0.1:1", set).HashKey())
	assert.NotEqual(t, key, startMemory(t, func(cfg *Config) { cfg.HashKey = "another" }).HashKey())
}

func TestAgesGoOnWhileNobodyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		l := live(t, directory, nil)
		indextest.All(t, l, indextest.Join(1, 1), indextest.Join(2, 1), indextest.Join(2, 2), indextest.Join(2, 3), indextest.Join(2, 4))
		time.Sleep(3*time.Minute + time.Second) // its segment is older than the other
		indextest.One(t, l, indextest.Join(3, 1))
		l.end()
		f := func(down time.Duration, want ...string) {
			t.Helper()
			time.Sleep(down)
			l := live(t, copyOf(t, directory), nil)
			assert.Equal(t, want, l.all(4)[1:])
			l.end()
		}
		f(6*time.Minute, "1@1 | 2", "poison", "1@1 | 2")
		f(time.Minute, "| 1", "| 1", "1@1 | 2")
		f(3*time.Minute+time.Second, "| 1", "| 1", "| 1")
	})
}

func TestSmallerIndexKeepsTheNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		const keys = 30_000
		l := live(t, directory, func(cfg *Config) { cfg.MaxMemoryMib = 4 })
		for key := range uint64(keys) {
			time.Sleep(tick)
			v := indextest.Join(0, 1)
			v.Key = indextest.HashedKey(key)
			indextest.One(t, l, v)
		}
		l.end()
		l = live(t, directory, nil)
		room := uint64(l.Members())
		assert.Greater(t, room, uint64(9_000))
		for key := range uint64(keys) {
			v := indextest.Look(0)
			v.Key = indextest.HashedKey(key)
			found := len(indextest.One(t, l, v).Members)
			if key < keys-room*12/10 {
				assert.Zero(t, found)
			} else if key > keys-room*8/10 {
				assert.Equal(t, 1, found)
			}
		}
		l.end()
	})
}

// A record that cannot be read is lost, and only that.
func TestDamagedSegments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory, l := filled(t)
		had, all := l.Members(), segments(t, directory)
		require.Greater(t, len(all), 2)
		for _, path := range all[:len(all)-1] { // at the end of the last, damage looks like a kill
			damaged := copyOf(t, directory)
			path = filepath.Join(damaged, "journal", filepath.Base(path))
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			content[len(content)/2] ^= 4
			require.NoError(t, os.WriteFile(path, content, 0o600))
			next := live(t, damaged, nil)
			require.Equal(t, 1, next.logs.Len())
			assert.Equal(t, "A part of the index is lost, since what was stored of it cannot be read", next.logs.All()[0].Message)
			assert.InDelta(t, had, next.Members(), 6) // the record may have poisoned some
			kept := next.all(200)
			next.end()
			after := live(t, damaged, nil)
			assert.Equal(t, kept, after.all(200))
			after.end()
		}
	})
}

func TestDirectoryThatCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		l := live(t, directory, nil)
		journal := filepath.Join(directory, "journal")
		require.NoError(t, os.RemoveAll(journal))
		indextest.All(t, l, indextest.Join(1, 1), indextest.Join(2, 1))
		assert.Equal(t, 1, l.logs.Len(), "one warning")
		require.NoError(t, os.Mkdir(journal, 0o700))
		indextest.One(t, l, indextest.Join(3, 1))
		next := live(t, copyOf(t, directory), nil)
		assert.Equal(t, "1@1 | 2", indextest.Written(indextest.One(t, next, indextest.Look(1))))
		next.end()
		l.end()
	})
}

func TestDirectoryIsOfOneIndex(t *testing.T) {
	directory := t.TempDir()
	l := live(t, directory, nil)
	defer l.end()
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), with(func(cfg *Config) { cfg.StateDirectory = directory }))
	require.NoError(t, err)
	assert.ErrorContains(t, e.Start(t.Context(), componenttest.NewNopHost()), fmt.Sprintf("state_directory: must be one that can be written (got %q)", directory))
	assert.NoError(t, e.Shutdown(t.Context()))
}

// TestManyAtATime is for the race detector: requests, segments and metrics.
func TestManyAtATime(t *testing.T) {
	directory := t.TempDir()
	l := live(t, directory, nil)
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			var batch [indextest.BatchOf]correlation.Request
			for round := range 40 {
				for i := range batch {
					v := correlation.Request{Key: indextest.HashedKey(uint64(i * (round%3*n + 1))), Op: correlation.Op(i % 3), Member: indextest.Numbered(uint64(i + round)), Limit: 64}
					v.Member.TraceState = "state=of-a-member"[:i%18]
					v.Member.Held = i%2 == 0
					batch[i] = v
				}
				assert.NoError(t, l.Do(t.Context(), batch[:], func(_ int, r correlation.Result) {
					for i := range r.Members {
						assert.NotEqual(t, correlation.Member{}, r.Members[i])
					}
				}))
			}
		})
	}
	group.Go(func() {
		for range 20 {
			assert.GreaterOrEqual(t, l.Members(), int64(0))
		}
	})
	group.Wait()
	members := l.Members()
	l.end()
	l = live(t, directory, nil)
	assert.Equal(t, members, l.Members())
	l.end()
}
