// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSchema(t *testing.T) {
	f := func(url string, want bool, changed ...string) {
		t.Helper()
		s := Of(url)
		for _, name := range changed {
			s.Changed(name)
		}
		assert.Equal(t, want, s.Broken())
	}
	const semantic = "https://opentelemetry.io/schemas/1.38.0"
	f(semantic, false)
	f(semantic, false, "tuft.requests", "numRequests", "base_model")
	f(semantic, true, "tuft.requests", "http.server.request.duration", "tuft.sessions")
	f(semantic, true, "service.name")
	f("https://example.com/schemas/1.0.0", true, "shop.orders")
	f("https://example.com/schemas/1.0.0", false)
	f("", false, "http.server.request.duration")
}
