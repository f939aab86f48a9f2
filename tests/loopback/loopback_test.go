// SPDX-License-Identifier: Apache-2.0

package loopback

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFreeAddresses(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		addresses, err := FreeAddresses(10)
		require.NoError(t, err)
		for _, address := range addresses {
			assert.False(t, seen[address], address)
			seen[address] = true
			listener, err := net.Listen("tcp", address)
			require.NoError(t, err)
			require.NoError(t, listener.Close())
		}
	}
	assert.Len(t, seen, 20)
}
