// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"bytes"
	"encoding/gob"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// state is what a snapshot has of a Tracker.
type state struct {
	Seed    uint64
	Sources map[attrhash.Hash]sourceState
}

type sourceState struct {
	Devices map[attrhash.Hash]deviceState
	Meters  map[attrhash.Hash]meterState
}

type deviceState struct {
	Identity []string
	Time     pcommon.Timestamp
	Records  []recordState
	Meters   []attrhash.Hash // by counter
}

type recordState struct {
	ID                attrhash.Hash
	Values            []string
	Start, Seen, Left pcommon.Timestamp
	Totals            []float64
}

type meterState struct {
	Time     pcommon.Timestamp
	Value    float64
	Priority int
}

// Encode returns a snapshot of a Tracker that is no longer in use, or nil if there is nothing to keep.
func (t *Tracker) Encode() ([]byte, error) {
	if len(t.sources) == 0 {
		return nil, nil
	}
	all := state{Seed: t.Seed, Sources: map[attrhash.Hash]sourceState{}}
	for id, s := range t.sources {
		kept := sourceState{Devices: map[attrhash.Hash]deviceState{}, Meters: map[attrhash.Hash]meterState{}}
		ids := map[*meter]attrhash.Hash{}
		for id, m := range s.meters {
			ids[m] = id
			kept.Meters[id] = meterState{m.time, m.value, m.priority}
		}
		for id, d := range s.devices {
			device := deviceState{Identity: d.identity, Time: d.time}
			for _, m := range d.meters {
				device.Meters = append(device.Meters, ids[m])
			}
			for _, r := range d.records {
				device.Records = append(device.Records, recordState{r.id, r.values, r.start, r.seen, r.left, r.totals})
			}
			kept.Devices[id] = device
		}
		all.Sources[id] = kept
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(all)
	return b.Bytes(), err
}

// Decode restores a snapshot into a Tracker that is not yet in use. Devices count as seen now. An error leaves the
// Tracker as it was.
func (t *Tracker) Decode(data []byte, now time.Time) error {
	var all state
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&all); err != nil {
		return err
	}
	t.Seed = all.Seed
	for id, kept := range all.Sources {
		s := newSource(t)
		t.sources[id] = s
		for id, m := range kept.Meters {
			s.meters[id] = &meter{time: m.Time, value: m.Value, priority: m.Priority}
		}
		for id, device := range kept.Devices {
			s.restore(id, device, now)
		}
		for _, m := range s.meters {
			m.updateHolders()
		}
	}
	return nil
}

func (s *source) restore(id attrhash.Hash, kept deviceState, now time.Time) {
	d := &device{identity: kept.Identity, time: kept.Time, seen: now}
	s.devices[id] = d
	for _, id := range kept.Meters {
		if s.meters[id] == nil {
			s.meters[id] = &meter{}
		}
		s.meters[id].devices = append(s.meters[id].devices, d)
		d.meters = append(d.meters, s.meters[id])
	}
	for _, r := range kept.Records {
		d.records = append(d.records, &record{id: r.ID, values: r.Values, start: r.Start, seen: r.Seen, left: r.Left, totals: r.Totals})
	}
	s.tracker.tracked += 1 + len(d.records)
}

// fits reports whether restored devices have what the rule says.
func (s *source) fits(rule *conventions.OwnerRule) bool {
	for _, d := range s.devices {
		if len(d.identity) != len(rule.Identity) || len(d.meters) != len(rule.Counters) {
			return false
		}
		for _, r := range d.records {
			if len(r.totals) != len(rule.Counters) || r.values != nil && len(r.values) != len(rule.Attributes) {
				return false
			}
		}
	}
	return true
}
