// SPDX-License-Identifier: Apache-2.0

package security

import (
	"crypto/tls"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// readers has a hash as htpasswd -B writes it, and guests one of openssl passwd -6. Both are of "secret".
const (
	readers = "reader:$2y$05$gXFObaD5H3R7rUJu5CPUhOLYWY5w8rl1LuLsycsRfsDA..6TUqgKa\n"
	guests  = "guest:$6$otelcoltc$8IxRfY.lpNv0Gk5aeIV212hGBHbPrjQOyl/.xxN7eRxQkU49QAj0bhIZKF0HdsE2t/5YggpINUEsASFOqDNg.1\n"
)

// usersFile writes the users of the page.
func usersFile(t *testing.T, lines string) string {
	t.Helper()
	return collectortest.WriteFile(t, "htpasswd", lines)
}

// visitor asks for the page of a collector.
type visitor struct {
	client         *http.Client
	user, password string
	host           string // of the Host header
}

func newVisitor(t *testing.T, config *tls.Config) visitor {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}, Timeout: 10 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	return visitor{client: client}
}

// as returns a visitor with a name and a password.
func (v visitor) as(user, password string) visitor {
	v.user, v.password = user, password
	return v
}

// under returns a visitor who calls the collector by another name.
func (v visitor) under(host string) visitor {
	v.host = host
	return v
}

// ask returns the status of an answer, and what it asks a browser for.
func (v visitor) ask(t *testing.T, method, address string) (status int, challenge string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	require.NoError(t, err)
	request.Host = v.host
	if v.user != "" {
		request.SetBasicAuth(v.user, v.password)
	}
	response, err := v.client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, response.Header.Get("WWW-Authenticate")
}

const api = "/api/v1/"

// absentPaths are paths that the page does not have.
var absentPaths = []string{"/nowhere", api, api + "nothing", api + "draft?service=nobody"}

// pathsOfPage returns the paths of the page and some that it does not have.
func pathsOfPage(t *testing.T) []string {
	t.Helper()
	paths := append([]string{"/", api + "report"}, absentPaths...)
	for field := range reflect.TypeFor[conformance.Report]().Fields() {
		if field.Type.Kind() == reflect.Slice {
			paths = append(paths, api+field.Tag.Get("json"))
		}
	}
	assets, err := os.ReadDir(filepath.Join(collectortest.Root(t), "connector/conformanceconnector/internal/page/assets"))
	require.NoError(t, err)
	for _, asset := range assets {
		paths = append(paths, path.Join("/", asset.Name()))
	}
	return paths
}

// With gateway-page-auth only those who have a name and a password read the page, over TLS; browsers ask for
// both. The other checks of the page still hold, and other fragments with credentials change nothing.
func TestPageAuth(t *testing.T) {
	t.Parallel()
	p, users := newPKI(t), usersFile(t, readers)
	env := p.environment()
	env["OTELCOL_TC_PAGE_CERT"], env["OTELCOL_TC_PAGE_KEY"] = p.serverCert, p.serverKey
	env["OTELCOL_TC_PAGE_USERS"] = users
	env["OTELCOL_TC_ALLOWED_HOSTS"] = `["gateway.test"]`
	env["OTELCOL_TC_AGENT_TOKEN_FILE"] = string(newTokenFile(t, "agents-token"))
	gateway := collectortest.Start(t, collectortest.Options{
		Configs: collectortest.WithFragments("gateway-page-auth", "gateway-tls", "gateway-bearer"), Env: env,
	})
	page := "https://" + gateway.Page
	assert.Contains(t, gateway.Logs(), "The conformance page is at "+page+"/")
	anybody := newVisitor(t, trusting(t, p.authority, "", ""))
	reader := anybody.as("reader", "secret")

	for _, where := range pathsOfPage(t) {
		for _, stranger := range []visitor{
			anybody, anybody.as("reader", "guessed"), anybody.as("reader", ""), anybody.as("guest", "secret"),
			anybody.as("nobody", ""), anybody.as("nobody", "nobody"),
		} {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
				status, challenge := stranger.ask(t, method, page+where)
				assert.Equal(t, http.StatusUnauthorized, status, "%s %s as %q", method, where, stranger.user)
				assert.True(t, strings.HasPrefix(challenge, "Basic "), "%s %s as %q: %q", method, where, stranger.user, challenge)
			}
		}
		known := http.StatusOK
		if slices.Contains(absentPaths, where) {
			known = http.StatusNotFound
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			status, challenge := reader.ask(t, method, page+where)
			assert.Equal(t, known, status, "%s %s", method, where)
			assert.Empty(t, challenge, "%s %s", method, where)
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
			status, _ := reader.ask(t, method, page+where)
			assert.Equal(t, http.StatusMethodNotAllowed, status, "%s %s", method, where)
		}
		// No browser asks for the password under a foreign name.
		for _, caller := range []visitor{anybody, reader} {
			status, challenge := caller.under("evil.example").ask(t, http.MethodGet, page+where)
			assert.Equal(t, http.StatusMisdirectedRequest, status, where)
			assert.Empty(t, challenge, where)
		}
	}
	status, _ := reader.under("gateway.test").ask(t, http.MethodGet, page+"/")
	assert.Equal(t, http.StatusOK, status)

	status, challenge := reader.ask(t, http.MethodGet, "http://"+gateway.Page+"/")
	assert.Equal(t, http.StatusBadRequest, status, "without TLS")
	assert.Empty(t, challenge)
	old := trusting(t, p.authority, "", "")
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	_, err := newVisitor(t, old).client.Get(page) //nolint:bodyclose // there is none
	assert.Error(t, err, "by TLS 1.1")

	// New users need no restart of the process.
	require.NoError(t, os.WriteFile(users, []byte(guests), 0o600))
	gateway.Signal(t, syscall.SIGHUP)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, http.NoBody)
		require.NoError(t, err)
		request.SetBasicAuth("guest", "secret")
		response, err := anybody.client.Do(request)
		if err != nil { // it is not up again
			return false, err.Error()
		}
		require.NoError(t, response.Body.Close())
		return response.StatusCode == http.StatusOK, response.Status
	})
	status, _ = reader.ask(t, http.MethodGet, page)
	assert.Equal(t, http.StatusUnauthorized, status, "no longer a user")
}

// Without its users or its certificate a gateway does not start: it would show the page to nobody, or to
// everybody.
func TestPageAuthIsMissing(t *testing.T) {
	t.Parallel()
	p, missing := newPKI(t), filepath.Join(t.TempDir(), "none")
	there := map[string]string{
		"extensions::basicauth/page::htpasswd::file":    usersFile(t, readers),
		"connectors::conformance::page::tls::cert_file": p.serverCert,
		"connectors::conformance::page::tls::key_file":  p.serverKey,
	}
	for absent := range there {
		args := []string{"--config", "builtin:gateway", "--config", "builtin:fragments/gateway-page-auth"}
		for setting, file := range there {
			if setting == absent {
				file = missing
			}
			args = append(args, "--config", "yaml:"+setting+": "+file)
		}
		result := collectortest.Run(t, args...)
		assert.NotZero(t, result.Code, absent)
		assert.Contains(t, result.Stderr, missing, absent)
	}
}
