// SPDX-License-Identifier: Apache-2.0

package durability

import (
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
