// SPDX-License-Identifier: Apache-2.0

package security

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// tokenFile is a file that a collector reads tokens of.
type tokenFile string

func newTokenFile(t *testing.T, tokens ...string) tokenFile {
	t.Helper()
	f := tokenFile(filepath.Join(t.TempDir(), "token"))
	f.replace(t, tokens...)
	return f
}

// replace puts other tokens in place of the file's at once, as Kubernetes does.
func (f tokenFile) replace(t *testing.T, tokens ...string) {
	t.Helper()
	next := string(f) + ".next"
	require.NoError(t, os.WriteFile(next, []byte(strings.Join(tokens, "\n")+"\n"), 0o600))
	require.NoError(t, os.Rename(next, string(f)))
}

// A gateway with gateway-bearer takes data from those only who show one of its tokens, and learns
// new ones without a restart. That it has a token for its backend as well changes nothing.
func TestTokens(t *testing.T) {
	t.Parallel()
	p, agents, agentsOwn := newPKI(t), newTokenFile(t, "old-token the agents' until May"), newTokenFile(t, "old-token")
	env := p.environment()
	env["OTELCOL_TC_AGENT_TOKEN_FILE"] = string(agents)
	env["OTELCOL_TC_BACKEND_TOKEN_FILE"] = string(newTokenFile(t, "backend-token"))
	gateway, files := collectortest.FileGateway(t, env, "builtin:fragments/gateway-tls",
		"builtin:fragments/gateway-bearer", "builtin:fragments/gateway-backend-bearer")
	env = p.environment()
	env["OTELCOL_TC_GATEWAY_TOKEN_FILE"] = string(agentsOwn)
	agent := hostAgent(t, gateway, env, "builtin:fragments/agent-tls", "builtin:fragments/agent-bearer")

	config := trusting(t, p.authority, "", "")
	var want []scenario.SpanRef
	taken := func(token string) (overHTTP, overGRPC bool) {
		t.Helper()
		ref, answer, err := spanOverHTTP(t, gateway.HTTP, config, token)
		require.NoError(t, err)
		if overHTTP = answer == http.StatusOK; overHTTP {
			want = append(want, ref)
		} else {
			require.Equal(t, http.StatusUnauthorized, answer)
		}
		ref, err = spanOverGRPC(t, gateway.GRPC, config, token)
		if overGRPC = err == nil; overGRPC {
			want = append(want, ref)
		} else {
			require.Equal(t, codes.Unauthenticated, status.Code(err), err)
		}
		return overHTTP, overGRPC
	}
	awaitTaken := func(token string, is bool) {
		t.Helper()
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			overHTTP, overGRPC := taken(token)
			return overHTTP == is && overGRPC == is, token + " is still what it was"
		})
	}
	// The last are what the fragments put in place of a token that is not used.
	for _, token := range []string{"", "guessed", "old-toke", "old-token the", "backend-token", "nobody", "nobody asks for this"} {
		overHTTP, overGRPC := taken(token)
		assert.False(t, overHTTP || overGRPC, token)
	}
	awaitTaken("old-token", true)
	want = append(want, payload.PostJob(t, agent, payload.PutName, ""))
	collectortest.RequireArrived(t, files, want...)

	agents.replace(t, "old-token", "new-token")
	awaitTaken("new-token", true)
	awaitTaken("old-token", true)
	agentsOwn.replace(t, "new-token")
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return strings.Contains(agent.Logs(), "refresh token"), "the agent has not read its new token"
	})
	agents.replace(t, "new-token")
	awaitTaken("old-token", false)
	want = append(want, payload.PostJob(t, agent, payload.PutName, ""))
	collectortest.RequireArrived(t, files, want...)
}

// Without its tokens a gateway does not start: it would take data from nobody, or from everybody.
func TestTokensAreMissing(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none")
	for fragment, extension := range map[string]string{
		"gateway-bearer": "agents", "gateway-backend-bearer": "backend", "agent-bearer": "gateway",
	} {
		args := []string{}
		for _, uri := range append(collectortest.WithFragments(fragment), "yaml:extensions::bearertokenauth/"+extension+"::filename: "+missing) {
			args = append(args, "--config", uri)
		}
		result := collectortest.Run(t, args...)
		assert.NotZero(t, result.Code, fragment)
		assert.Contains(t, result.Stderr, missing, fragment)
	}
}

// A backend gets the token of gateway-backend-bearer, and a new one without a restart.
func TestTokenForTheBackend(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	shown := map[string]int{}
	backend := collectortest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		shown[r.Header.Get("Authorization")]++
	}))
	token := newTokenFile(t, "old-token")
	gateway := collectortest.Start(t, collectortest.Options{
		Configs: collectortest.WithFragments("gateway-backend-bearer"),
		Env:     map[string]string{"OTELCOL_TC_BACKEND": "http://" + backend, "OTELCOL_TC_BACKEND_TOKEN_FILE": string(token)},
	})
	awaitShown := func(header string) {
		t.Helper()
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			payload.PostJob(t, gateway, payload.PutName, "")
			mu.Lock()
			defer mu.Unlock()
			return shown[header] > 0, header + " was not shown"
		})
	}
	awaitShown("Bearer old-token")
	token.replace(t, "new-token")
	awaitShown("Bearer new-token")
	mu.Lock()
	defer mu.Unlock()
	assert.Len(t, shown, 2)
}

// A backend with a certificate of its own authority, which asks for one, gets data by
// gateway-backend-tls.
func TestTLSForTheBackend(t *testing.T) {
	t.Parallel()
	p := newPKI(t)
	backend, files := collectortest.FileGateway(t, p.environment(), "builtin:fragments/gateway-mtls")
	gateway := collectortest.Start(t, collectortest.Options{
		Configs: collectortest.WithFragments("gateway-backend-tls"),
		Env: map[string]string{
			"OTELCOL_TC_BACKEND":      "https://" + backend.HTTP,
			"OTELCOL_TC_BACKEND_CA":   p.authority.File,
			"OTELCOL_TC_BACKEND_CERT": p.clientCert, "OTELCOL_TC_BACKEND_KEY": p.clientKey,
		},
	})
	collectortest.RequireArrived(t, files, payload.PostJob(t, gateway, payload.PutName, ""))
}
