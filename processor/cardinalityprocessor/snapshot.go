package cardinalityprocessor

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// snapshot is all that has to survive a restart.
type snapshot struct {
	Rules    string // what decides identities; state of other rules is worth nothing
	Seed     uint64
	Started  int64 // of epoch 0, in nanoseconds since 1970
	Since    pcommon.Timestamp
	Left     map[int]watermark // of families that were removed
	Families []familyState
	Services []serviceState
}

type familyState struct {
	ID       [2]uint64
	Service  [2]uint64
	Plan     planInput
	Since    pcommon.Timestamp
	Merged   pcommon.Timestamp
	Ended    pcommon.Timestamp
	Overflow uint32
	Departed departed
	Series   []entryState
	Tracker  *trackerState // nil: nothing was merged
}

// outputs is how many outputs there are for series to be part of.
func (s *familyState) outputs() int {
	if s.Tracker == nil {
		return 0
	}
	return len(s.Tracker.Outputs)
}

type serviceState struct {
	ID     [2]uint64
	Name   string
	Values [][]entryState // by the limited attribute's number
}

type entryState struct {
	Key       uint64
	Seen, Ref uint32
}

// snapshotVersion changes whenever a snapshot of before cannot be read.
const snapshotVersion = 1

// encode writes the version and a checksum before the snapshot.
func (s *snapshot) encode() ([]byte, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(s); err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint64([]byte{snapshotVersion}, xxh3.Hash(body.Bytes()))
	return append(head, body.Bytes()...), nil
}

func decodeSnapshot(data []byte) (*snapshot, error) {
	if len(data) < 9 {
		return nil, errors.New("it is cut off")
	}
	if data[0] != snapshotVersion {
		return nil, fmt.Errorf("it is of version %d, not %d", data[0], snapshotVersion)
	}
	if body := data[9:]; xxh3.Hash(body) != binary.LittleEndian.Uint64(data[1:9]) {
		return nil, errors.New("its checksum is wrong")
	}
	s := &snapshot{}
	return s, gob.NewDecoder(bytes.NewReader(data[9:])).Decode(s)
}

// rulesOf is a text that changes whenever the identities of series do.
func rulesOf(cfg *Config, packs []*conventions.Pack) string {
	var ids [][]conventions.AttributeRule
	for _, pack := range packs {
		ids = append(ids, pack.Attributes)
	}
	type keys struct {
		Metric     string
		Drop, Keep []string
	}
	var overrides []keys
	for _, o := range cfg.Overrides {
		overrides = append(overrides, keys{o.Metric, o.DropAttributes, o.KeepAttributes})
	}
	text, err := json.Marshal([]any{cfg.Mode, cfg.DropAttributes, overrides, limitedAttributes(cfg.AttributeLimits), cfg.OnOverflow, ids})
	if err != nil {
		panic(err) // strings, numbers and bools always have a form
	}
	return fmt.Sprintf("%016x", xxh3.Hash(text))
}

// state takes the table apart.
func (t *table) state() []entryState {
	all := make([]entryState, 0, t.count)
	for _, e := range t.slots {
		if e.key != 0 {
			all = append(all, entryState{e.key, e.seen, e.ref})
		}
	}
	return all
}

func (t *table) restore(all []entryState) {
	for _, e := range all {
		t.put(e.Key, e.Seen, e.Ref)
	}
}

// state is what a snapshot holds. Nothing else uses the processor any more.
func (p *cardinalityProcessor) state() *snapshot {
	s := &snapshot{
		Rules: p.rules, Seed: p.seed, Started: p.started.UnixNano(),
		Since: p.since, Left: p.left.state(),
	}
	for _, known := range p.services.All() {
		state := serviceState{ID: words(known.id), Name: known.name}
		for i := range known.values {
			state.Values = append(state.Values, known.values[i].state())
		}
		s.Services = append(s.Services, state)
	}
	for _, f := range p.families.All() {
		if f.plan.input.Name == "" {
			continue
		}
		state := familyState{
			ID: words(f.id), Service: words(f.service.id), Plan: f.plan.input,
			Since: f.since, Merged: f.merged, Ended: f.ended, Overflow: f.overflow, Series: f.series.state(),
			Departed: f.departed,
		}
		if f.tracked != nil {
			state.Tracker = f.tracked.state()
		}
		s.Families = append(s.Families, state)
	}
	return s
}

// restore makes the families and services of a snapshot. They take their places in
// the budgets whatever these are now.
func (p *cardinalityProcessor) restore(s *snapshot) error {
	p.seed, p.started = s.Seed, time.Unix(0, s.Started)
	p.since = s.Since
	p.left.set(s.Left)
	names := map[[2]uint64]string{}
	for _, state := range s.Services {
		names[state.ID] = state.Name
	}
	for i := range s.Families {
		state := &s.Families[i]
		f := &family{
			id: hashOf(state.ID), plan: p.planner.planAgain(state.Plan), service: p.joinService(hashOf(state.Service), names[state.Service]),
			since: state.Since, merged: state.Merged, ended: state.Ended, overflow: state.Overflow,
			departed: state.Departed,
		}
		if bits := len(f.departed.Bits); bits != 0 && bits != departedBits/64 {
			return fmt.Errorf("metric %s: must remember %d bits (got %d)", f.plan.metric, departedBits, 64*bits)
		}
		if f.departed.Bits != nil {
			f.service.charge(departedBytes)
		}
		if most := state.outputs(); int(state.Overflow) > most || slices.ContainsFunc(state.Series, func(e entryState) bool { return int(e.Ref) > most }) {
			return fmt.Errorf("metric %s: a series is part of an output past the last of %d", f.plan.metric, most)
		}
		if state.Tracker != nil {
			tracked, err := state.Tracker.restore(f.service, f.plan.gauge)
			if err != nil {
				return fmt.Errorf("metric %s: %w", f.plan.metric, err)
			}
			f.tracked = tracked
		}
		f.series.restore(state.Series)
		f.service.charge(familyBytes + len(state.Series)*seriesBytes)
		f.service.series.Add(int64(len(state.Series)))
		p.families.Store(f.id, f)
	}
	for _, state := range s.Services {
		if known, ok := p.services.Load(hashOf(state.ID)); ok && len(state.Values) == len(p.limited) {
			known.values = make([]table, len(p.limited))
			for i, values := range state.Values {
				known.values[i].restore(values)
				known.charge(len(values) * valueBytes)
			}
		}
	}
	return nil
}

// words are the halves of a hash.
func words(h attrhash.Hash) [2]uint64 { return [2]uint64{h.Lo, h.Hi} }

func hashOf(words [2]uint64) attrhash.Hash { return attrhash.Hash{Lo: words[0], Hi: words[1]} }
