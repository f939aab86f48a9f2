// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
)

// TestConservation plays random histories: senders send batches again until they are
// accepted, spans come or do not, the index and the next component fail at times, and at
// some point all shuts down. Each record comes out once, with nothing changed but its
// ids, or is counted as lost. TC_LOG_HISTORIES says how many.
func TestConservation(t *testing.T) {
	histories := 100
	if n, err := strconv.Atoi(os.Getenv("TC_LOG_HISTORIES")); err == nil {
		histories = n
	}
	f := func(t *testing.T) {
		for seed := range uint64(histories) {
			synctest.Test(t, func(t *testing.T) { play(t, rand.New(rand.NewPCG(seed, 12))) })
			if t.Failed() {
				t.Fatal("seed", seed)
			}
		}
	}
	t.Run("plain", f)
	// What is held must not be given back to the pools with its batch.
	t.Run("pooled", func(t *testing.T) {
		const gate = "pdata.useProtoPooling"
		require.NoError(t, featuregate.GlobalRegistry().Set(gate, true))
		defer func() { require.NoError(t, featuregate.GlobalRegistry().Set(gate, false)) }()
		f(t)
	})
}

const (
	playedSenders = 3
	playedBatches = 15
	playedJobs    = 20
)

func play(t *testing.T, random *rand.Rand) {
	cfg := holdingConfig()
	cfg.MaxHeldRecords = 1 + random.IntN(100)
	cfg.Hold = time.Duration(1+random.IntN(3000)) * time.Millisecond
	if random.IntN(4) == 0 {
		cfg.DedupWindow = new(time.Hour)
	}
	r := newRig(t, cfg, nil, nil)
	busy, refuses := random.IntN(4), random.IntN(2)
	chance := rand.New(rand.NewPCG(random.Uint64(), 13)) // guarded by r.mu
	came := map[string]int{}                             // guarded by r.mu
	r.answers(func(ld plog.Logs) error {
		switch {
		case chance.IntN(4) < busy:
			spoil(ld)
			return errors.New("busy")
		case refuses > 0 && chance.IntN(20) == 0:
			spoil(ld)
			return consumererror.NewPermanent(errors.New("no"))
		}
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					id, _ := record.Attributes().Get("id")
					came[id.Str()]++
					resource, _ := rl.Resource().Attributes().Get("sender")
					assert.Equal(t, resource.Str(), sl.Scope().Name())
					assert.Equal(t, "body of "+id.Str(), record.Body().Str())
				}
			}
		}
		return nil
	})
	sent, refused := 0, 0
	var mu sync.Mutex // guards sent and refused
	var senders sync.WaitGroup
	for sender := range playedSenders {
		chance := rand.New(rand.NewPCG(random.Uint64(), 14))
		senders.Go(func() {
			for number := range playedBatches {
				r.index.goAway(chance.IntN(5) == 0)
				if chance.IntN(2) == 0 {
					r.span("job", fmt.Sprint("job", chance.IntN(playedJobs)), 1, 11, nil)
				}
				request := []byte(written(t, playedBatch(chance, sender, number)))
				for {
					ld, _ := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(request)
					records := ld.LogRecordCount()
					err := r.p.ConsumeLogs(t.Context(), ld)
					spoil(ld) // nothing that is held may be in it
					pref.UnrefLogs(ld)
					if err == nil || consumererror.IsPermanent(err) {
						mu.Lock()
						sent += records
						if err != nil {
							refused += records
						}
						mu.Unlock()
						break
					}
				}
				time.Sleep(time.Duration(chance.IntN(500)) * time.Millisecond)
			}
		})
	}
	senders.Wait()
	time.Sleep(time.Duration(random.IntN(3)) * time.Second)
	_ = r.p.Shutdown(context.Background())

	for id, times := range came {
		assert.Equal(t, 1, times, id)
	}
	counted := r.counted()
	assert.Equal(t, sent, len(came)+refused+int(counted["lost"]))
	assert.Zero(t, counted["holding"])
	released := counted["released found"] + counted["released deadline"] + counted["released overflow"] + counted["released shutdown"]
	assert.LessOrEqual(t, released, counted["held"])
	assert.LessOrEqual(t, counted["held"]-released, counted["lost"], "at the end some are lost before it is their turn")
}

// spoil does what a consumer may do with data that it changes.
func spoil(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		rl.Resource().Attributes().PutStr("sender", "spoilt")
		for _, sl := range rl.ScopeLogs().All() {
			sl.Scope().SetName("spoilt too")
			for _, record := range sl.LogRecords().All() {
				record.Body().SetStr("spoilt")
				record.Attributes().PutStr("id", "spoilt")
			}
		}
	}
}

func playedBatch(chance *rand.Rand, sender, number int) plog.Logs {
	ld := plog.NewLogs()
	for resource := range 1 + chance.IntN(2) {
		rl := ld.ResourceLogs().AppendEmpty()
		name := fmt.Sprint(sender, number, resource)
		rl.Resource().Attributes().PutStr("sender", name)
		for scope := range 1 + chance.IntN(2) {
			sl := rl.ScopeLogs().AppendEmpty()
			sl.Scope().SetName(name)
			for i := range 1 + chance.IntN(10) {
				record := sl.LogRecords().AppendEmpty()
				record.SetTimestamp(1)
				id := fmt.Sprint(name, scope, i)
				record.Attributes().PutStr("id", id)
				record.Body().SetStr("body of " + id)
				if job := chance.IntN(2 * playedJobs); job < playedJobs {
					withJob(fmt.Sprint("job", job))(record)
				}
			}
		}
	}
	return ld
}
