// SPDX-License-Identifier: Apache-2.0

package front

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"
)

// write writes a file as file_storage does.
func write(t testing.TB, values map[string][]byte) (path string) {
	path = filepath.Join(t.TempDir(), "exporter_otlp__metrics")
	require.NoError(t, with(path, false, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(bucketName)
			for key, value := range values {
				if err == nil {
					err = b.Put([]byte(key), value)
				}
			}
			return err
		})
	}))
	return path
}

func read(t testing.TB, path string) (m metadata, values map[string]string) {
	values = map[string]string{}
	require.NoError(t, with(path, true, func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) (err error) {
			if m, err = load(tx); err != nil {
				return err
			}
			return tx.Bucket(bucketName).ForEach(func(k, v []byte) error {
				values[string(k)] = string(v)
				return nil
			})
		})
	}))
	delete(values, string(metadataKey))
	return m, values
}

const (
	bytesSize  protowire.Number = 2
	writeIndex protowire.Number = 4
)

func encode(next, end uint64, indexes []uint64, packed bool) []byte {
	b := protowire.AppendFixed64(protowire.AppendTag(nil, bytesSize, protowire.Fixed64Type), 1234)
	b = protowire.AppendFixed64(protowire.AppendTag(b, readIndex, protowire.Fixed64Type), next)
	var list []byte
	for _, index := range indexes {
		if packed {
			list = protowire.AppendFixed64(list, index)
		} else {
			b = protowire.AppendFixed64(protowire.AppendTag(b, dispatched, protowire.Fixed64Type), index)
		}
	}
	if packed {
		b = protowire.AppendBytes(protowire.AppendTag(b, dispatched, protowire.BytesType), list)
	}
	return protowire.AppendFixed64(protowire.AppendTag(b, writeIndex, protowire.Fixed64Type), end)
}

// TestRandomQueues restores queues with any requests in flight. All requests are then in a row, in the
// order of their old indexes, and the other metadata is as before.
func TestRandomQueues(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		next := 1 + random.Uint64N(30)
		end := next + random.Uint64N(5)
		values := map[string][]byte{}
		var indexes []uint64
		var want []string
		for i := range end {
			value := fmt.Sprint("request ", i)
			switch {
			case i >= next:
			case random.IntN(2) == 0:
				continue // done
			default:
				indexes = append(indexes, i)
				if random.IntN(10) == 0 {
					continue // done, but still in the list
				}
			}
			values[fmt.Sprint(i)] = []byte(value)
			want = append(want, value)
		}
		random.Shuffle(len(indexes), func(i, j int) { indexes[i], indexes[j] = indexes[j], indexes[i] })
		values[string(metadataKey)] = encode(next, end, indexes, random.IntN(2) == 0)
		path := write(t, values)
		requests, err := Restore(path)
		require.NoError(t, err)
		m, after := read(t, path)
		var got []string
		for i := m.next; i < end; i++ {
			got = append(got, after[fmt.Sprint(i)])
		}
		require.Equal(t, want, got, seed)
		require.Len(t, after, len(want), seed)
		require.Equal(t, int(next-m.next), requests)
		require.Empty(t, m.dispatched)
		require.Equal(t, encode(0, end, nil, false)[:9], m.others[:9])
		again, err := Restore(path)
		require.NoError(t, err)
		require.Zero(t, again)
	}
}

func TestOtherFilesStay(t *testing.T) {
	for name, values := range map[string]map[string][]byte{
		"checkpoints": {"file": []byte("position")},
		"empty queue": {string(metadataKey): nil},
		"index ahead": {string(metadataKey): encode(3, 5, []uint64{3, 9}, true), "3": []byte("a"), "4": []byte("b")},
	} {
		path := write(t, values)
		before, stored := read(t, path)
		requests, err := Restore(path)
		require.NoError(t, err, name)
		assert.Zero(t, requests, name)
		after, left := read(t, path)
		assert.Equal(t, stored, left, name)
		assert.Equal(t, before.next, after.next, name)
	}
}

// FuzzMetadata gives any metadata. It never panics, and an error leaves the file as it was.
func FuzzMetadata(f *testing.F) {
	f.Add(encode(5, 7, []uint64{2, 4}, true))
	f.Add(encode(5, 7, []uint64{2, 4}, false))
	f.Add([]byte{0x2a, 0x03, 1, 2, 3})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		path := write(t, map[string][]byte{string(metadataKey): encoded, "4": []byte("request")})
		requests, err := Restore(path)
		if err != nil {
			assert.Zero(t, requests)
			return
		}
		_, values := read(t, path)
		assert.Len(t, values, 1)
	})
}
