package correlationindexextension

import (
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
)

func TestMembersSurviveRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		random := rand.New(rand.NewPCG(5, 6))
		right := &oracle{window: 10 * time.Minute}
		begun := time.Now()
		for mib := range 20 { // also fewer shards than before, and more
			l := live(t, d, func(cfg *Config) { cfg.MaxMemoryMib = 1 + mib*7%20 })
			for range 200 {
				time.Sleep(time.Duration(random.IntN(64)) * tick)
				v := randomVisit(random, 20)
				require.Equal(t, ranked(right.visit(v, time.Since(begun))), visit(t, l, v), "life %d", mib)
			}
			l.end()
			assert.Zero(t, l.logs.Len())
			assert.Len(t, d.kept, len(l.shards))
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
			d.kept[partKey(16+i)] = d.kept[partKey(i)]
		}
		l = live(t, d, nil)
		assert.Equal(t, want, l.all(200))
		l.end()
		assert.Len(t, d.kept, 16)
	})
}

func TestSnapshotsHaveNoForgottenMembers(t *testing.T) {
	s, room := newShard(20, 100), &scratch{}
	for n := range 4 {
		v := join(1, n)
		s.visit(&v, 1, room)
	}
	assert.Equal(t, uint32(4), s.ring.used)
	assert.Len(t, living(nil, s.ring.copyRecords(nil), 1, s.window), slotSize)
}

func TestSeedSurvivesRestarts(t *testing.T) {
	d := newDisk()
	first := live(t, d, nil)
	first.end()
	second := live(t, d, nil)
	second.end()
	assert.Equal(t, first.seed, second.seed)
	other := live(t, newDisk(), nil)
	other.end()
	assert.NotEqual(t, first.seed, other.seed)
}

func TestKillLosesAnIntervalAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		killed := live(t, d, nil)
		visit(t, killed, join(1, 1))
		time.Sleep(30*time.Second + time.Millisecond)
		visit(t, killed, join(1, 2))
		next := live(t, d.copied(), nil)
		assert.Equal(t, "1@1 | 2", written(visit(t, next, look(1))))
		next.end()
		time.Sleep(30 * time.Second)
		next = live(t, d.copied(), nil)
		assert.Equal(t, "1@1 2@2 | 3", written(visit(t, next, look(1))))
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
		assert.Equal(t, len(l.shards), next())
		assert.Zero(t, next())
		visit(t, l, hold(1, 1))
		assert.Equal(t, 1, next())
		visit(t, l, look(1))
		visit(t, l, hold(1, 1))
		assert.Zero(t, next())
		visit(t, l, release(1, 1))
		assert.Equal(t, 1, next())
		visit(t, l, release(1, 1))
		assert.Zero(t, next())
		l.end()
		assert.Zero(t, d.written())
	})
}

func TestAgesGoOnWhileNobodyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		l := live(t, d, func(cfg *Config) { cfg.SnapshotInterval = time.Minute })
		visits(t, l, join(1, 1), join(2, 1), join(2, 2), join(2, 3), join(2, 4))
		time.Sleep(3*time.Minute + time.Second) // its part is older than the others
		visit(t, l, join(3, 1))
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
			v := join(0, 1)
			v.Key = hashedKey(key)
			visit(t, l, v)
		}
		l.end()
		l = live(t, d, nil)
		room := slotsIn(shardBytes/minShards) * minShards
		assert.Equal(t, int64(room), l.sum(func(s *shard) int64 { return int64(s.members) }))
		found := func(key uint64) int {
			v := look(0)
			v.Key = hashedKey(key)
			return len(visit(t, l, v).Members)
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
		visit(t, l, join(1, 1))
		d.setFull(true)
		time.Sleep(61 * time.Second)
		assert.Equal(t, 2, l.logs.Len())
		d.setFull(false)
		time.Sleep(30 * time.Second)
		next := live(t, d.copied(), nil)
		assert.Equal(t, "1@1 | 2", written(visit(t, next, look(1))))
		next.end()
		l.end()
		assert.Equal(t, 2, l.logs.Len())
	})
}

func TestStorageMustBeThere(t *testing.T) {
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(NewFactory().Type()),
		settings(func(cfg *Config) { cfg.Storage = &diskID }))
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
		assert.Equal(t, want, written(visit(t, l, look(1))))
		visits(t, l, join(1, 1), join(1, 2))
		l.end()
		require.NoError(t, e.Shutdown(t.Context()))
	}
	f("| 1")
	f("1@1 2@2 | 3")
	f("1@1 2@2 | 3")
}
