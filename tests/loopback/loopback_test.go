// SPDX-License-Identifier: Apache-2.0

package loopback

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// addressesOfProcess, if set, makes the test print its addresses until its standard input ends.
const addressesOfProcess = "LOOPBACK_PRINT"

func TestFreeAddresses(t *testing.T) {
	if os.Getenv(addressesOfProcess) != "" {
		printAddresses(t)
		return
	}
	seen := map[string]bool{}
	for range 2 {
		addresses, err := FreeAddresses(blockSize + 1)
		require.NoError(t, err)
		for _, address := range addresses {
			assert.False(t, seen[address], address)
			seen[address] = true
			listener, err := net.Listen("tcp", address)
			require.NoError(t, err)
			require.NoError(t, listener.Close())
		}
	}
	assert.Len(t, seen, 2*(blockSize+1))
}

// Processes that run at the same time get different addresses, though nothing listens on them yet.
func TestFreeAddressesOfProcesses(t *testing.T) {
	seen := map[string]bool{}
	for range 8 {
		process := exec.Command(os.Args[0], "-test.run=^TestFreeAddresses$")
		process.Env = append(os.Environ(), addressesOfProcess+"=1")
		input, err := process.StdinPipe()
		require.NoError(t, err)
		output, err := process.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, process.Start())
		t.Cleanup(func() {
			assert.NoError(t, input.Close())
			assert.NoError(t, process.Wait())
		})
		line, err := bufio.NewReader(output).ReadString('\n')
		require.NoError(t, err)
		for address := range strings.FieldsSeq(line) {
			assert.False(t, seen[address], address)
			seen[address] = true
		}
	}
	assert.Len(t, seen, 8*8*blockSize)
}

func printAddresses(t *testing.T) {
	addresses, err := FreeAddresses(8 * blockSize)
	require.NoError(t, err)
	_, err = os.Stdout.WriteString(strings.Join(addresses, " ") + "\n")
	require.NoError(t, err)
	_, err = os.Stdin.Read(make([]byte, 1)) // until the other process has its addresses, too
	require.Error(t, err)
}
