// SPDX-License-Identifier: Apache-2.0

package boltcheck

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// requireWhole checks a file as the extension does.
func requireWhole(t testing.TB, path string) {
	t.Helper()
	require.Equal(t, []Result{{File: path}}, Check(t.Context(), []string{path}))
}

// damageOf returns what is wrong with a file of such bytes.
func damageOf(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	r := Check(t.Context(), []string{path})
	require.Len(t, r, 1)
	require.Empty(t, r[0].Unknown)
	return r[0].Damage
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == CommandName {
		if os.Getenv(brokenVariable) != "" {
			panic("broken")
		}
		cmd := NewCommand()
		cmd.SetArgs(os.Args[2:])
		if cmd.Execute() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Files that bbolt wrote are whole, whatever was done in them and with whatever settings.
func TestWhatBboltWritesIsWhole(t *testing.T) {
	f := func(options bbolt.Options) {
		t.Helper()
		random := rand.New(rand.NewPCG(1, uint64(options.PageSize)))
		path := filepath.Join(t.TempDir(), "db")
		options.NoSync = true
		for range 15 {
			db, err := bbolt.Open(path, 0o600, &options)
			require.NoError(t, err)
			for range 1 + random.IntN(5) {
				require.NoError(t, db.Update(func(tx *bbolt.Tx) error { return change(tx, random) }))
			}
			require.NoError(t, db.Close())
			requireWhole(t, path)
		}
	}
	f(bbolt.Options{NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	f(bbolt.Options{})
	f(bbolt.Options{PageSize: 1024})
	f(bbolt.Options{PageSize: 1 << 16, NoFreelistSync: true})
}

// change puts and deletes keys, large and small, in buckets in buckets.
func change(tx *bbolt.Tx, random *rand.Rand) error {
	bucket, err := tx.CreateBucketIfNotExists(fmt.Appendf(nil, "bucket-%d", random.IntN(3)))
	if err != nil {
		return err
	}
	if random.IntN(3) == 0 {
		if bucket, err = bucket.CreateBucketIfNotExists([]byte("inner")); err != nil {
			return err
		}
	}
	for range random.IntN(400) {
		key := fmt.Appendf(nil, "%0*d", 1+random.IntN(60), random.IntN(1000))
		if random.IntN(2) == 0 {
			err = bucket.Delete(key)
		} else {
			err = bucket.Put(key, make([]byte, random.IntN(1<<random.IntN(16))))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A list of free pages that is longer than its count can say.
func TestLongFreelist(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: 1024, NoSync: true})
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucket([]byte("default"))
		if err != nil {
			return err
		}
		return bucket.Put([]byte("large"), make([]byte, 70<<20))
	}))
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("default")).Delete([]byte("large"))
	}))
	require.NoError(t, db.Update(func(*bbolt.Tx) error { return nil }))
	require.Greater(t, db.Stats().FreePageN, 0xFFFF)
	require.NoError(t, db.Close())
	requireWhole(t, path)
}

// small returns a file with a tree of two levels: branch page, leaves, values that need more
// pages, and a bucket inside a page.
func small(t testing.TB) []byte {
	path := filepath.Join(t.TempDir(), "db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: 4096, NoSync: true, NoFreelistSync: true})
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		inline, err := tx.CreateBucket([]byte("inline"))
		if err != nil {
			return err
		}
		if err := inline.Put([]byte("key"), []byte("value")); err != nil {
			return err
		}
		bucket, err := tx.CreateBucket([]byte("default"))
		for i := 0; i < 200 && err == nil; i++ {
			err = bucket.Put(fmt.Appendf(nil, "%03d", i), make([]byte, 50+i%7/6*9000))
		}
		return err
	}))
	require.NoError(t, db.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// find returns the offset of the first page of a kind that is in use by the tree.
func find(t testing.TB, data []byte, kind uint16) int {
	for at := 2 * 4096; at < len(data); at += 4096 {
		if binary.NativeEndian.Uint16(data[at+8:]) == kind && binary.NativeEndian.Uint16(data[at+10:]) > 2 {
			return at
		}
	}
	t.Fatalf("no page of kind %#x", kind)
	return 0
}

func TestErrorsSayWhatIsDamaged(t *testing.T) {
	whole := small(t)
	branch, leaf := find(t, whole, branchFlag), find(t, whole, leafFlag)
	number := binary.NativeEndian
	f := func(want string, damage func(data []byte) []byte) {
		t.Helper()
		data := damage(bytes.Clone(whole))
		assert.NotEmpty(t, damageOf(t, data))
		assert.Contains(t, damageOf(t, data), want)
	}
	put16 := func(at int, value uint16) func([]byte) []byte {
		return func(data []byte) []byte { number.PutUint16(data[at:], value); return data }
	}
	put32 := func(at int, value uint32) func([]byte) []byte {
		return func(data []byte) []byte { number.PutUint32(data[at:], value); return data }
	}
	put64 := func(at int, value uint64) func([]byte) []byte {
		return func(data []byte) []byte { number.PutUint64(data[at:], value); return data }
	}
	f("truncated: 12305 bytes are there", func(data []byte) []byte { return data[:3*4096+17] })
	f("invalid database", func(data []byte) []byte { return data[:1] })
	f("invalid database", func(data []byte) []byte { return make([]byte, len(data)) })
	f("", func(data []byte) []byte {
		return put32(4096+20, 9)(put32(20, 9)(data))
	})
	f("", func(data []byte) []byte {
		return put64(4096+60, 1)(put64(60, 1)(data))
	})
	f("", func(data []byte) []byte {
		return resum(put32(4096+24, 16)(resum(put32(24, 16)(data), 0)), 4096)
	})
	f("says that it is page 77", put64(branch, 77))
	f("of kind 0x10", put16(branch+8, 0x10))
	f("is empty, and is a branch or below one", put16(branch+10, 0))
	f("is empty, and is a branch or below one", put16(leaf+10, 0))
	f("is first, and should be", put32(leaf+16+8, 4))
	f("page 0: says that it is page 16 of kind 0x2", func(data []byte) []byte {
		// The inline bucket's page comes after its key and its header.
		return put64(bytes.LastIndex(data, []byte("inline"))+len("inline")+headerSize, 16)(data)
	})
	f("out of range", put32(branch+12, 9999999))
	f("out of range", put64(branch+16+8, 1<<40))
	f("", put64(branch+16+8, uint64(branch/4096)))
	f("page", put16(branch+10, 60000))
	f("element 0 has a key of 0 bytes", put32(branch+16+4, 0))
	f("element 0 has a key of 32769 bytes", put32(leaf+16+8, 32769))
	f("out of range", put32(leaf+16+4, 1<<31))
	f("out of range", put32(leaf+16+12, 1<<31))
	f("has the flags 0x2", put32(leaf+16, 2))
	f("page", put32(leaf+16, bucketEntry))
	f("than previous element", func(data []byte) []byte {
		return bytes.Replace(data, []byte("005"), []byte("000"), 1)
	})
	f("needs to be", func(data []byte) []byte {
		at := leaf + 16 + (int(number.Uint16(data[leaf+10:]))-1)*16
		data[at+int(number.Uint32(data[at+4:]))] = 'z'
		return data
	})
}

// resum makes a changed meta page valid.
func resum(data []byte, at int) []byte {
	sum := fnv.New64a()
	sum.Write(data[at+16 : at+16+48])
	binary.NativeEndian.PutUint64(data[at+16+48:], sum.Sum64())
	return data
}

// With one meta page damaged, bbolt goes by the other.
func TestOneMetaIsEnough(t *testing.T) {
	for _, at := range []int{0, 9, 16, 30, 4096, 4096 + 16, 4096 + 70} {
		data := small(t)
		data[at] ^= 0xFF
		assert.Empty(t, damageOf(t, data), at)
	}
}

// Whatever is in the pages, a check ends, and does not panic.
func FuzzCheck(f *testing.F) {
	whole := small(f)
	f.Add(uint32(2*4096+16), []byte{0xFF, 0xFF, 0xFF, 0xFF})
	f.Add(uint32(len(whole)-100), make([]byte, 8))
	f.Fuzz(func(t *testing.T, at uint32, damage []byte) {
		data := bytes.Clone(whole)
		copy(data[2*4096+int(at)%(len(data)-2*4096):], damage)
		damageOf(t, data)
	})
}

// The children of a test that is one are none: a program without the command must not start
// itself for ever.
func TestChildrenHaveNoChildren(t *testing.T) {
	t.Setenv(childVariable, "1")
	assert.Equal(t, []Result{{File: "a", Unknown: "the process that checks it: this is such a process"}}, Check(t.Context(), []string{"a"}))
}

// A file that ends its child does not change what is known of the others.
func TestOneOfManyIsDamaged(t *testing.T) {
	whole := small(t)
	directory := t.TempDir()
	var files []string
	for i := range 5 {
		data := bytes.Clone(whole)
		if i == 2 {
			data[find(t, data, leafFlag)] ^= 1
		}
		files = append(files, filepath.Join(directory, fmt.Sprint(i)))
		require.NoError(t, os.WriteFile(files[i], data, 0o600))
	}
	for i, r := range Check(t.Context(), files) {
		assert.Equal(t, files[i], r.File)
		assert.Equal(t, i == 2, r.Damage != "", "%+v", r)
		assert.Empty(t, r.Unknown)
	}
	missing := filepath.Join(directory, "missing")
	assert.Contains(t, Check(t.Context(), []string{missing})[0].Unknown, "no such file")
}

func TestChecksEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.WriteFile(path, small(t), 0o600))
	assert.Contains(t, Check(ctx, []string{path})[0].Unknown, "not done after 20s")
}

// badDisk is a file whose first reads fail.
type badDisk struct {
	*bytes.Reader
	fails int
}

func (b *badDisk) Read(p []byte) (int, error) {
	if b.fails > 0 {
		b.fails--
		return 0, syscall.EIO
	}
	return b.Reader.Read(p)
}

func (b *badDisk) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{b}) }

// What cannot be read says nothing of the file.
func TestErrorsOfReadingAreNoDamage(t *testing.T) {
	assert.NoError(t, readTwice(&badDisk{bytes.NewReader(small(t)), 1}))
	assert.ErrorIs(t, readTwice(&badDisk{bytes.NewReader(small(t)), 2}), syscall.EIO)
}

// Where a test says so, this program is one that ends before it looks at a file.
const brokenVariable = "BOLTCHECK_TEST_BROKEN"

func TestBrokenChildrenSayNothingOfFiles(t *testing.T) {
	t.Setenv(brokenVariable, "1")
	path := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.WriteFile(path, small(t), 0o600))
	r := Check(t.Context(), []string{path})
	assert.Empty(t, r[0].Damage)
	assert.Contains(t, r[0].Unknown, "panic: broken")
}

func TestFilesAfterDamagedOnesAreChecked(t *testing.T) {
	whole, directory := small(t), t.TempDir()
	var files []string
	for i := range maxFiles + 3 {
		data := whole
		if i == 0 || i == maxFiles {
			data = whole[:100]
		}
		files = append(files, filepath.Join(directory, fmt.Sprint(i)))
		require.NoError(t, os.WriteFile(files[i], data, 0o600))
	}
	results := Check(t.Context(), files)
	require.Len(t, results, len(files))
	for i, r := range results {
		assert.Equal(t, files[i], r.File)
		assert.Equal(t, i == 0 || i == maxFiles, r.Damage != "", "%+v", r)
		assert.Empty(t, r.Unknown)
	}
}

func TestPathsLikeFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"-db", "--help", "\xff"} {
		require.NoError(t, os.WriteFile(path, small(t), 0o600))
		requireWhole(t, path)
	}
}
