// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	// maxPage is the size of the largest page of metrics, in bytes.
	maxPage = 64 << 20
	// fetchTimeout is the time for a server's answer.
	fetchTimeout = 30 * time.Second
)

// read reads a file or the answer of a server.
func read(ctx context.Context, from string) ([]byte, error) {
	if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
		return fetch(ctx, from)
	}
	file, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readBounded(file, maxPage)
}

func fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s", response.Status)
	}
	return readBounded(response.Body, maxPage)
}

// sent returns the names in queries whose metrics a collector gets under a name that is not conformant, by
// its conformance page.
func (m *migration) sent(ctx context.Context, page string) (map[string]bool, error) {
	text, err := fetch(ctx, strings.TrimRight(page, "/")+"/api/v1/findings")
	if err != nil {
		return nil, err
	}
	var findings []struct {
		Signal   string `json:"signal"`
		Original string `json:"original"`
	}
	if err := json.Unmarshal(text, &findings); err != nil {
		return nil, err
	}
	originals := map[string]bool{}
	for _, f := range findings {
		originals[f.Original] = originals[f.Original] || f.Signal == "metrics"
	}
	sent := map[string]bool{}
	for _, u := range m.users {
		sent[u.Old] = m.names.Sent(u.Old, originals)
	}
	return sent, nil
}
