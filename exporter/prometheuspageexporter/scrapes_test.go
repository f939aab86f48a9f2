// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Clients that do not read do not take the room of other clients, up to a total number.
func TestScrapesAtOneTime(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	s := newScrapes(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-goOn
	}))
	scrape := func(client int) int {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
		request.RemoteAddr = fmt.Sprintf("10.0.0.%d:%d", client, 1000+client)
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, request)
		return answer.Code
	}
	var under sync.WaitGroup
	for i := range maxScrapes {
		client := i / maxScrapesOfClient
		under.Go(func() { assert.Equal(t, http.StatusOK, scrape(client)) })
		<-begun
		if (i+1)%maxScrapesOfClient == 0 {
			assert.Equal(t, http.StatusServiceUnavailable, scrape(client))
		}
	}
	assert.Equal(t, http.StatusServiceUnavailable, scrape(200), "of all")
	close(goOn)
	under.Wait()
	assert.Empty(t, s.clients)
	under.Go(func() { assert.Equal(t, http.StatusOK, scrape(200)) })
	<-begun
	under.Wait()
}
