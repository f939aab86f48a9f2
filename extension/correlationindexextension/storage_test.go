// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// tick is the unit of ages.
const tick = time.Second / 64

func TestMembersSurviveRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		random := rand.New(rand.NewPCG(5, 6))
		right := &indextest.Oracle{Window: 10 * time.Minute}
		begun := time.Now()
		for mib := range 20 { // also fewer shards than before, and more
			l := live(t, d, func(cfg *Config) { cfg.MaxMemoryMib = 1 + mib*7%20 })
			for range 200 {
				time.Sleep(time.Duration(random.IntN(64)) * tick)
				v := indextest.RandomRequest(random, 20)
				require.Equal(t, indextest.Ranked(right.Do(v, time.Since(begun))), indextest.One(t, l, v), "life %d", mib)
			}
			l.end()
			assert.Zero(t, l.logs.Len())
			assert.Len(t, d.kept, l.Parts())
			if random.IntN(2) == 0 {
				time.Sleep(time.Duration(random.IntN(64*60)) * tick)
			}
		}
	})
}

// What is in two parts is so after a kill while the shards became more or fewer.
func TestMembersInTwoPartsAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := stored(t)
		want := l.all(200)
		for i := range 16 {
			d.kept[fmt.Sprint("part", 16+i)] = d.kept[fmt.Sprint("part", i)]
		}
		l = live(t, d, nil)
		assert.Equal(t, want, l.all(200))
		l.end()
		assert.Len(t, d.kept, 16)
	})
}

func TestSeedSurvivesRestarts(t *testing.T) {
	d := newDisk()
	first := live(t, d, nil)
	first.end()
	second := live(t, d, nil)
	second.end()
	assert.Equal(t, first.seed(), second.seed())
	other := live(t, newDisk(), nil)
	other.end()
	assert.NotEqual(t, first.seed(), other.seed())
}

func TestKillLosesAnIntervalAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		killed := live(t, d, nil)
		indextest.One(t, killed, indextest.Join(1, 1))
		time.Sleep(30*time.Second + time.Millisecond)
		indextest.One(t, killed, indextest.Join(1, 2))
		next := live(t, d.copied(), nil)
		assert.Equal(t, "1@1 | 2", indextest.Written(indextest.One(t, next, indextest.Look(1))))
		next.end()
		time.Sleep(30 * time.Second)
		next = live(t, d.copied(), nil)
		assert.Equal(t, "1@1 2@2 | 3", indextest.Written(indextest.One(t, next, indextest.Look(1))))
		next.end()
		killed.end()
	})
}

func TestShardsAreWrittenWhenTheyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		l := live(t, d, nil)
		next := func() int {
			time.Sleep(30*time.Second + time.Millisecond)
			return d.written()
		}
		assert.Equal(t, l.Parts(), next())
		assert.Zero(t, next())
		indextest.One(t, l, indextest.Hold(1, 1))
		assert.Equal(t, 1, next())
		indextest.One(t, l, indextest.Look(1))
		indextest.One(t, l, indextest.Hold(1, 1))
		assert.Zero(t, next())
		indextest.One(t, l, indextest.Release(1, 1))
		assert.Equal(t, 1, next())
		indextest.One(t, l, indextest.Release(1, 1))
		assert.Zero(t, next())
		l.end()
		assert.Zero(t, d.written())
	})
}

func TestAgesGoOnWhileNobodyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		l := live(t, d, func(cfg *Config) { cfg.SnapshotInterval = time.Minute })
		indextest.All(t, l, indextest.Join(1, 1), indextest.Join(2, 1), indextest.Join(2, 2), indextest.Join(2, 3), indextest.Join(2, 4))
		time.Sleep(3*time.Minute + time.Second) // its part is older than the others
		indextest.One(t, l, indextest.Join(3, 1))
		l.end()
		f := func(down time.Duration, want ...string) {
			t.Helper()
			time.Sleep(down)
			l := live(t, d.copied(), nil)
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
		d := newDisk()
		const keys = 30_000
		l := live(t, d, func(cfg *Config) { cfg.MaxMemoryMib = 4 })
		for key := range uint64(keys) {
			time.Sleep(tick)
			v := indextest.Join(0, 1)
			v.Key = indextest.HashedKey(key)
			indextest.One(t, l, v)
		}
		l.end()
		l = live(t, d, nil)
		room := l.Members()
		assert.Equal(t, int64(12_736), room, "of 72 bytes, and the table")
		found := func(key uint64) int {
			v := indextest.Look(0)
			v.Key = indextest.HashedKey(key)
			return len(indextest.One(t, l, v).Members)
		}
		for key := range uint64(keys) {
			if key < keys-uint64(room)*11/10 {
				assert.Zero(t, found(key))
			} else if key > keys-uint64(room)*9/10 {
				assert.Equal(t, 1, found(key))
			}
		}
		l.end()
	})
}

func TestStorageThatIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		l := live(t, d, nil)
		indextest.One(t, l, indextest.Join(1, 1))
		d.setFull(true)
		time.Sleep(61 * time.Second)
		assert.Equal(t, 2, l.logs.Len())
		d.setFull(false)
		time.Sleep(30 * time.Second)
		next := live(t, d.copied(), nil)
		assert.Equal(t, "1@1 | 2", indextest.Written(indextest.One(t, next, indextest.Look(1))))
		next.end()
		l.end()
		assert.Equal(t, 2, l.logs.Len())
	})
}

func TestStorageMustBeThere(t *testing.T) {
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(NewFactory().Type()),
		with(func(cfg *Config) { cfg.Storage = &diskID }))
	require.NoError(t, err)
	assert.Equal(t, []component.ID{diskID}, e.(*memory).Dependencies())
	assert.EqualError(t, e.Start(t.Context(), componenttest.NewNopHost()), `storage: must be an extension of the service (got "disk")`)
	assert.NoError(t, e.Shutdown(t.Context()))
}

// fileHost has the real storage extension.
type fileHost struct{ component.Component }

func (h fileHost) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{diskID: h.Component}
}

func TestFileStorage(t *testing.T) {
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig().(*filestorage.Config)
	cfg.Directory = t.TempDir()
	f := func(want string) {
		t.Helper()
		e, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
		require.NoError(t, err)
		require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
		l := live(t, fileHost{e}, nil)
		assert.Equal(t, want, indextest.Written(indextest.One(t, l, indextest.Look(1))))
		indextest.All(t, l, indextest.Join(1, 1), indextest.Join(1, 2))
		l.end()
		require.NoError(t, e.Shutdown(t.Context()))
	}
	f("| 1")
	f("1@1 2@2 | 3")
	f("1@1 2@2 | 3")
}
