// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const startLimit = 2 * time.Second

func TestStartsAndStopsInTime(t *testing.T) {
	c := collectortest.Start(t, collectortest.Options{})
	collectortest.Within(t, c.StartTook, startLimit)
	collectortest.RequireSpanPasses(t, c)

	exit := c.Stop(t)
	assert.Equal(t, 0, exit.Code)
	collectortest.Within(t, exit.Took, collectortest.StopLimit)
}

// The stock receiver has no read timeout and would wait for this client.
func TestStopsInTimeWhileAClientHoldsARequestOpen(t *testing.T) {
	c := collectortest.Start(t, collectortest.Options{})
	connection, err := net.Dial("tcp", c.HTTP)
	require.NoError(t, err)
	defer connection.Close()
	_, err = fmt.Fprintf(connection, "POST /v1/traces HTTP/1.1\r\nHost: %s\r\n"+
		"Content-Type: application/x-protobuf\r\nContent-Length: 1000\r\n\r\nonly the beginning", c.HTTP)
	require.NoError(t, err)
	// A whole request after it: the server has surely accepted the first by then.
	collectortest.RequireSpanPasses(t, c)

	exit := c.Stop(t)
	assert.Equal(t, 0, exit.Code)
	collectortest.Within(t, exit.Took, collectortest.StopLimit)
}

// A connection that says nothing: to the receiver, and to the exporter's page.
func TestStopsInTimeWhileConnectionsSayNothing(t *testing.T) {
	c := collectortest.Start(t, collectortest.Options{})
	for _, address := range []string{c.HTTP, c.Prometheus} {
		connection, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer connection.Close()
	}
	collectortest.RequireSpanPasses(t, c)
	c.Scrape(t)

	exit := c.Stop(t)
	assert.Equal(t, 0, exit.Code)
	collectortest.Within(t, exit.Took, collectortest.StopLimit)
}
