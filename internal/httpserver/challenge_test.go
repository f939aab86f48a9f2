// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
)

// authHost is a host with an authenticator that accepts one password.
type authHost struct{ authenticator component.ID }

func (h authHost) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{h.authenticator: password{}}
}

type password struct {
	component.StartFunc
	component.ShutdownFunc
}

func (password) Authenticate(ctx context.Context, headers map[string][]string) (context.Context, error) {
	if _, given, _ := (&http.Request{Header: headers}).BasicAuth(); given != "secret" {
		return ctx, errors.New("wrong password")
	}
	return ctx, nil
}

// A browser asks for a name and a password if the server says so, which it does for basicauth and for the
// server's own names only.
func TestServerAsksBrowsers(t *testing.T) {
	for authenticator, challenge := range map[string]string{
		"basicauth/page": `Basic realm="otelcol-tc", charset="UTF-8"`, "bearertokenauth/page": "",
	} {
		var id component.ID
		require.NoError(t, id.UnmarshalText([]byte(authenticator)))
		s, address := newServer(t, func(http.ResponseWriter, *http.Request) {})
		s.Config.ServerConfig.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: id}})
		require.NoError(t, s.Start(t.Context(), authHost{id}))
		ask := func(host, given string) (status int, header string) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, http.NoBody)
			require.NoError(t, err)
			request.Host = host
			if given != "" {
				request.SetBasicAuth("reader", given)
			}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			return response.StatusCode, response.Header.Get("WWW-Authenticate")
		}
		f := func(host, given string, wantStatus int, wantHeader string) {
			t.Helper()
			status, header := ask(host, given)
			assert.Equal(t, wantStatus, status, "%s: %q %q", authenticator, host, given)
			assert.Equal(t, wantHeader, header, "%s: %q %q", authenticator, host, given)
		}
		f("", "", http.StatusUnauthorized, challenge)
		f("", "guessed", http.StatusUnauthorized, challenge)
		f("", "secret", http.StatusOK, "")
		for _, given := range []string{"", "guessed", "secret"} {
			f("evil.example", given, http.StatusMisdirectedRequest, "")
		}
		require.NoError(t, s.Shutdown(t.Context()))
	}
}

// What else confighttp refuses has no challenge, with or without an authenticator.
func TestServerAsksForPasswordsOnly(t *testing.T) {
	s, address := newServer(t, func(http.ResponseWriter, *http.Request) {})
	require.NoError(t, s.Start(t.Context(), componenttest.NewNopHost()))
	defer func() { assert.NoError(t, s.Shutdown(context.Background())) }()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Content-Encoding", "unknown")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusBadRequest, response.StatusCode)
	assert.Empty(t, response.Header.Get("WWW-Authenticate"))
}
