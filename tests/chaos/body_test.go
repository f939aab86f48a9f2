// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
)

// memoryBound is for all bodies of a test together; a profile at rest takes about 100 MiB.
const memoryBound = 256 * mib

// Bodies that are too large, also once decompressed, are refused, and memory stays where
// it was. The same client's good data goes on.
func TestBodiesTooLarge(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			c, clients := s.start(t)
			c.ResetPeakRSS(t)
			bomb, err := gzipBomb()
			require.NoError(t, err)
			refused(t, clients, http.StatusBadRequest, bomb, "gzip")
			refused(t, clients, http.StatusBadRequest, make([]byte, 25*mib), "")
			answer, err := overGRPC(t.Context(), clients, &template{signal: traces}, make([]byte, 25*mib))
			require.Error(t, err)
			assert.Equal(t, codes.ResourceExhausted.String(), answer)
			c.PeakRSSWithin(t, memoryBound)
			s.note("peak of %d MiB", c.PeakRSS(t)/mib)
			offerAll(t, clients)
			s.awaitDelivered(t)
		})
	}
	f("13 gzip bomb of 1 GiB, 25 MiB body: gateway", gatewayScenario)
	f("13 gzip bomb of 1 GiB, 25 MiB body: agent", agentScenario)
}

func TestNesting(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario) {
		t.Run(name, func(t *testing.T) {
			if !hasComponent(t, "wire_limits") {
				t.Skip("the binary has no wire_limits")
			}
			t.Parallel()
			s := start(t, name)
			c, clients := s.start(t)
			c.ResetPeakRSS(t)
			body := nestedValues(20_000)
			refused(t, clients, http.StatusBadRequest, body, "")
			answer, err := overGRPC(t.Context(), clients, &template{signal: traces}, body)
			require.Error(t, err)
			assert.Equal(t, codes.InvalidArgument.String(), answer)
			c.PeakRSSWithin(t, memoryBound)
			s.note("peak of %d MiB", c.PeakRSS(t)/mib)
			offerAll(t, clients)
			s.awaitDelivered(t)
		})
	}
	f("14 20 000 nested values: gateway", gatewayScenario)
	f("14 20 000 nested values: agent", agentScenario)
}

// refused posts a body that is no item of the ledger.
func refused(t *testing.T, c *client, want int, body []byte, encoding string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.target.HTTP+"/v1/traces", bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-protobuf")
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	response, err := c.http.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, want, response.StatusCode)
}

// gzipBomb is 1 MiB that decompresses to 1 GiB.
var gzipBomb = sync.OnceValues(func() ([]byte, error) {
	var bomb bytes.Buffer
	writer := gzip.NewWriter(&bomb)
	for range 1024 {
		if _, err := writer.Write(make([]byte, mib)); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return bomb.Bytes(), err
})

// nestedValues returns an export request of one span whose attribute is an array in an
// array and so on. It is written from its end, because each length comes before its content.
func nestedValues(depth int) []byte {
	const (
		resourceSpans, scopeSpans, spans, attributes = 1, 2, 2, 9
		key, value, arrayValue, arrayValues          = 1, 2, 5, 1
	)
	room := make([]byte, 16*depth+64)
	at := len(room)
	put := func(raw ...byte) {
		at -= len(raw)
		copy(room[at:], raw)
	}
	end := at
	wrap := func(fields ...byte) {
		for _, field := range fields {
			put(binary.AppendUvarint([]byte{field<<3 | 2}, uint64(end-at))...)
		}
	}
	for range depth {
		wrap(arrayValues, arrayValue)
	}
	wrap(value)
	put(key<<3|2, 1, 'k')
	wrap(attributes, spans, scopeSpans, resourceSpans)
	return room[at:]
}
