// SPDX-License-Identifier: Apache-2.0

// Package front puts requests that were being sent when a collector ended back to the front of their
// queue. The queue of exporterhelper itself puts them behind all others at its start, so the oldest
// points would be sent last.
//
// A queue is a bucket with one key for each request, which is its index, and a key for the metadata.
// The metadata is a message with the next index to read, the next index to write, and the list of the
// indexes that are being sent. The latter are below the next one to read.
package front

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"
)

// Names of file_storage and exporterhelper.
var (
	bucketName  = []byte("default")
	metadataKey = []byte("qmv0")
)

// Fields of the metadata.
const (
	readIndex  protowire.Number = 3
	dispatched protowire.Number = 5
)

// lockTimeout is how long to wait for another process, as file_storage does.
const lockTimeout = time.Second

// Restore changes the file of a queue, which must be whole. It returns the number of requests that
// were put back. Other files stay unchanged.
func Restore(path string) (requests int, err error) {
	// Most files need no change, and opening for reading needs no list of free pages.
	if err := with(path, true, func(b *bbolt.DB) error {
		return b.View(func(tx *bbolt.Tx) error {
			m, err := load(tx)
			requests = len(m.dispatched)
			return err
		})
	}); err != nil || requests == 0 {
		return 0, err
	}
	err = with(path, false, func(b *bbolt.DB) error {
		return b.Update(func(tx *bbolt.Tx) error {
			requests, err = restore(tx)
			return err
		})
	})
	return requests, err
}

// with opens a file. It writes as little as file_storage does: see its options.
func with(path string, readOnly bool, use func(*bbolt.DB) error) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: lockTimeout, ReadOnly: readOnly, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if err != nil {
		return err
	}
	if err := use(db); err != nil {
		_ = db.Close()
		return err
	}
	return db.Close()
}

// restore moves the requests to the indexes before the next one to read, which are free, in the order
// of their indexes.
func restore(tx *bbolt.Tx) (requests int, err error) {
	m, err := load(tx)
	if err != nil {
		return 0, err
	}
	slices.Sort(m.dispatched)
	bucket := tx.Bucket(bucketName)
	for _, index := range slices.Backward(slices.Compact(m.dispatched)) {
		value := bucket.Get(key(index))
		if value == nil || index >= m.next {
			continue // it was done, or is no request
		}
		m.next--
		requests++
		if index == m.next {
			continue
		}
		// bbolt's values may change with the next call.
		if err := bucket.Put(key(m.next), slices.Clone(value)); err != nil {
			return 0, err
		}
		if err := bucket.Delete(key(index)); err != nil {
			return 0, err
		}
	}
	encoded := protowire.AppendTag(m.others, readIndex, protowire.Fixed64Type)
	return requests, bucket.Put(metadataKey, protowire.AppendFixed64(encoded, m.next))
}

func key(index uint64) []byte { return strconv.AppendUint(nil, index, 10) }

// metadata is what a queue stores about itself.
type metadata struct {
	next       uint64 // the next index to read
	dispatched []uint64
	others     []byte // the encoded other fields
}

// load loads the metadata. It is empty if the file has no queue.
func load(tx *bbolt.Tx) (m metadata, err error) {
	bucket := tx.Bucket(bucketName)
	if bucket == nil {
		return m, nil
	}
	for left := bucket.Get(metadataKey); len(left) > 0; {
		number, kind, tag := protowire.ConsumeTag(left)
		if tag < 0 {
			return m, fmt.Errorf("the queue's metadata: %w", protowire.ParseError(tag))
		}
		size := protowire.ConsumeFieldValue(number, kind, left[tag:])
		if size < 0 {
			return m, fmt.Errorf("the queue's metadata: %w", protowire.ParseError(size))
		}
		field, value := left[:tag+size], left[tag:tag+size]
		left = left[tag+size:]
		switch {
		case number == readIndex && kind == protowire.Fixed64Type:
			m.next = binary.LittleEndian.Uint64(value)
		case number == dispatched && kind == protowire.Fixed64Type:
			m.dispatched = append(m.dispatched, binary.LittleEndian.Uint64(value))
		case number == dispatched && kind == protowire.BytesType:
			packed, _ := protowire.ConsumeBytes(value)
			for ; len(packed) >= 8; packed = packed[8:] {
				m.dispatched = append(m.dispatched, binary.LittleEndian.Uint64(packed))
			}
		default:
			m.others = append(m.others, field...)
		}
	}
	return m, nil
}
