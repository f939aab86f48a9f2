// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
)

// A browser asks for a name and a password if the answer says so. It does for basicauth only, and for nothing
// else that confighttp refuses.
func TestBrowsersAreAsked(t *testing.T) {
	f := func(authenticator string, status int, challenge string) {
		t.Helper()
		config := NewDefaultConfig()
		if authenticator != "" {
			var id component.ID
			require.NoError(t, id.UnmarshalText([]byte(authenticator)))
			config.ServerConfig.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: id}})
		}
		answer := httptest.NewRecorder()
		(&Server{Config: &config}).refuse(answer, nil, "no", status)
		assert.Equal(t, status, answer.Code)
		assert.Equal(t, challenge, answer.Header().Get("WWW-Authenticate"), "%s %d", authenticator, status)
	}
	f("basicauth/page", http.StatusUnauthorized, `Basic realm="otelcol-tc", charset="UTF-8"`)
	f("basicauth/page", http.StatusBadRequest, "")
	f("bearertokenauth/page", http.StatusUnauthorized, "")
	f("", http.StatusBadRequest, "")
}
