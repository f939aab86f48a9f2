// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/assemble"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// The storage keys of releases before 0.5, which read with the file consumer of pkg/stanza.
const (
	legacyFilesKey      = "knownFiles"
	legacyProgressSlots = 64
)

func legacyProgressKey(i int) string { return fmt.Sprint("progress.", i) }

// legacyFile is a checkpoint of the file consumer.
type legacyFile struct {
	Fingerprint struct {
		FirstBytes []byte `json:"first_bytes"`
	}
	Offset         int64
	FileAttributes map[string]any
}

// legacyProgress is how far a file was delivered after its checkpoint.
type legacyProgress struct {
	Path          string
	Moved         bool
	End           int64
	Last          tail.Span
	Held, Partial []byte
	Overlong      bool
}

// LoadLegacy returns what releases before this format have stored, and the operations that
// remove it.
func LoadLegacy(ctx context.Context, client storage.Client) (all []Entry, remove []*storage.Operation, err error) {
	get := []*storage.Operation{storage.GetOperation(legacyFilesKey)}
	for i := range legacyProgressSlots {
		get = append(get, storage.GetOperation(legacyProgressKey(i)))
	}
	if err := client.Batch(ctx, get...); err != nil {
		return nil, nil, err
	}
	delivered := map[string]legacyProgress{}
	for _, operation := range get {
		if operation.Value == nil {
			continue
		}
		remove = append(remove, storage.DeleteOperation(operation.Key))
		if operation.Key == legacyFilesKey {
			all = legacyFiles(operation.Value)
			continue
		}
		entries := map[uint64]legacyProgress{}
		_ = json.Unmarshal(operation.Value, &entries) // damaged entries are ignored
		for _, entry := range entries {
			if !entry.Moved {
				delivered[entry.Path] = entry
			}
		}
	}
	for i := range all {
		if entry, ok := delivered[all[i].Path]; ok && entry.End >= all[i].Offset {
			entry.addTo(&all[i])
			delete(delivered, entry.Path)
		}
	}
	for _, entry := range delivered {
		one := Entry{ID: rand.Uint64(), Checkpoint: tail.Checkpoint{Path: entry.Path}}
		entry.addTo(&one)
		all = append(all, one)
	}
	return all, remove, nil
}

func (l legacyProgress) addTo(p *Entry) {
	p.Offset, p.Last = l.End, l.Last
	p.Streams = []assemble.Held{{Held: l.Held, Partial: l.Partial, Overlong: l.Overlong}}
}

// legacyFiles decodes the file consumer's checkpoints: their number, followed by each
// checkpoint.
func legacyFiles(stored []byte) (all []Entry) {
	decoder := json.NewDecoder(bytes.NewReader(stored))
	var count int
	if decoder.Decode(&count) != nil {
		return nil
	}
	for range count {
		var known legacyFile
		if decoder.Decode(&known) != nil {
			return all
		}
		path, _ := known.FileAttributes["log.file.path"].(string)
		if first := known.Fingerprint.FirstBytes; path != "" && len(first) > 0 && known.Offset > 0 {
			all = append(all, Entry{ID: rand.Uint64(), Checkpoint: tail.Checkpoint{
				Path: path, Offset: known.Offset, First: tail.NewSpan(0, first),
			}})
		}
	}
	return all
}
