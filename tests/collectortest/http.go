// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// GetPage returns the body of a response with status 200, and an error for any other status.
func GetPage(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return body, err
}
