// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const securedPage = `yaml:{
  extensions: {basicauth/page: {htpasswd: {inline: "reader:secret"}}},
  connectors: {conformance: {page: {auth: {authenticator: basicauth/page}, tls: {cert_file: %q, key_file: %q}}}},
  service: {extensions: [health_check, conventions, wire_limits, correlation_index, basicauth/page]}}`

// The page takes confighttp's settings: only those who have the password see it, over TLS.
func TestSecuredPage(t *testing.T) {
	t.Parallel()
	authority := collectortest.NewAuthority(t)
	certificate, key := authority.Server(t)
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", fmt.Sprintf(securedPage, certificate, key)}})
	roots := x509.NewCertPool()
	text, err := os.ReadFile(authority.File)
	require.NoError(t, err)
	require.True(t, roots.AppendCertsFromPEM(text))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	get := func(path, password string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+c.Page+path, http.NoBody)
		require.NoError(t, err)
		if password != "" {
			request.SetBasicAuth("reader", password)
		}
		response, err := client.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	for _, path := range []string{"/", "/page.js", "/api/v1/report"} {
		assert.Equal(t, http.StatusUnauthorized, get(path, ""), path)
		assert.Equal(t, http.StatusUnauthorized, get(path, "guessed"), path)
		assert.Equal(t, http.StatusOK, get(path, "secret"), path)
	}
	plain, err := http.Get("http://" + c.Page + "/")
	if err == nil {
		assert.Equal(t, http.StatusBadRequest, plain.StatusCode, "without TLS")
		require.NoError(t, plain.Body.Close())
	}
}
