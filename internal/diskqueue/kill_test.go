// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// directoryVariable makes TestKilled the process that is killed, with the queue in this directory.
const directoryVariable = "DISKQUEUE_TEST_DIRECTORY"

// TestKilled kills a process 20 times while it appends numbered records and removes some.
func TestKilled(t *testing.T) {
	if directory := os.Getenv(directoryVariable); directory != "" {
		appendUntilKilled(directory)
	}
	settings := Settings{Directory: t.TempDir(), MaxBytes: 100 * mebibyte, SegmentBytes: 20_000}
	// The numbers of the last record that was appended, whose removal began, and that was removed.
	var appended, removing, removed uint64
	for kill := range 20 {
		child := exec.Command(os.Args[0], "-test.run", "^TestKilled$")
		child.Env = append(os.Environ(), directoryVariable+"="+settings.Directory)
		stdout, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			var number uint64
			var what string
			if _, err := fmt.Sscan(lines.Text(), &what, &number); err != nil {
				continue // the last line may be torn
			}
			switch what {
			case "started":
				time.AfterFunc(time.Duration(1+kill*3)*time.Millisecond, func() { _ = child.Process.Kill() })
			case "appended":
				appended = number
			case "removing":
				removing = number
			case "removed":
				removed = number
			default:
				require.Fail(t, "the child says: "+lines.Text())
			}
		}
		require.ErrorContains(t, child.Wait(), "killed")

		q, found, err := Open(settings)
		require.NoError(t, err)
		assert.Zero(t, found.Damaged)
		records, err := q.Peek(100 * mebibyte)
		require.NoError(t, err)
		require.Len(t, records, found.Records)
		for i, r := range records {
			require.Equal(t, numberOf(records[0])+uint64(i), numberOf(r))
			require.Equal(t, numberedPayload(numberOf(r)), r.Payload)
		}
		if len(records) == 0 {
			require.Zero(t, appended, "one record always stays")
		} else {
			require.Greater(t, numberOf(records[0]), removed)
			require.LessOrEqual(t, numberOf(records[0]), removing+1)
			require.GreaterOrEqual(t, numberOf(records[len(records)-1]), appended)
			// The next child goes on behind these.
			appended = numberOf(records[len(records)-1])
		}
		require.NoError(t, q.Close())
	}
	require.Greater(t, appended, uint64(20))
	require.Positive(t, removed)
}

func numberOf(r Record) uint64 { return binary.BigEndian.Uint64(r.Payload) }

func numberedPayload(number uint64) []byte {
	return append(binary.BigEndian.AppendUint64(nil, number), strings.Repeat("x", int(number*97%5000))...)
}

// appendUntilKilled appends numbered records in one goroutine, and removes three of four in another. It says
// what it did only once it is done.
func appendUntilKilled(directory string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", 0, err)
			os.Exit(1)
		}
	}
	q, _, err := Open(Settings{Directory: directory, MaxBytes: 100 * mebibyte, SegmentBytes: 20_000})
	fail(err)
	records, err := q.Peek(100 * mebibyte)
	fail(err)
	last := uint64(0)
	if len(records) > 0 {
		last = numberOf(records[len(records)-1])
	}
	fmt.Println("started", 0)
	go func() {
		for {
			records, err := q.Peek(20_000)
			fail(err)
			if n := len(records) * 3 / 4; n > 0 {
				fmt.Println("removing", numberOf(records[n-1]))
				fail(q.Remove(n))
				fmt.Println("removed", numberOf(records[n-1]))
			}
			time.Sleep(time.Millisecond)
		}
	}()
	for number := last + 1; ; number++ {
		fail(q.Append(numberedPayload(number), 1))
		fmt.Println("appended", number)
	}
}
