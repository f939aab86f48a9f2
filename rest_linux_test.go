package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyMappingsWithoutChangesAreGivenBack(t *testing.T) {
	f := func(line string, want bool) {
		t.Helper()
		begin, end, ok := readOnly(line, "/usr/bin/otelcol-tc")
		assert.Equal(t, want, ok, line)
		if want {
			assert.Equal(t, []uintptr{0x400000, 0x3947000}, []uintptr{begin, end})
		}
	}
	f("00400000-03947000 r-xp 00000000 fe:01 1234                               /usr/bin/otelcol-tc", true)
	f("00400000-03947000 r--p 03547000 fe:01 1234                               /usr/bin/otelcol-tc", true)
	f("00400000-03947000 rw-p 07373000 fe:01 1234                               /usr/bin/otelcol-tc", false)
	f("00400000-03947000 r--p 00000000 fe:01 1234                               /lib/otelcol-tc", false)
	f("c000000000-c000800000 rw-p 00000000 00:00 0 ", false)
	f("7ffd5e5fe000-7ffd5e600000 r-xp 00000000 00:00 0                          [vdso]", false)
	f("", false)
}

func TestBinaryIsGivenBack(t *testing.T) {
	before := residentFiles(t)
	require.NoError(t, unmapBinary())
	assert.Less(t, residentFiles(t), before/2)
}

// residentFiles is the process's resident memory that is of files, in KiB.
func residentFiles(t *testing.T) (kib int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(status), "RssFile:")
	require.True(t, found)
	_, err = fmt.Sscan(after, &kib)
	require.NoError(t, err)
	return kib
}
