// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A browser asks for the password of gateway-page-auth. The page says where to send telemetry, and its
// command sends some.
func TestEmptyPageInBrowser(t *testing.T) {
	t.Parallel()
	certificate, key := collectortest.NewAuthority(t).Server(t)
	users := collectortest.WriteFile(t, "htpasswd", "reader:secret\n")
	c := collectortest.Start(t, collectortest.Options{
		Configs: append(collectortest.WithFragments("gateway-page-auth"), pageTimes),
		Env: map[string]string{
			"OTELCOL_TC_PAGE_USERS": users, "OTELCOL_TC_PAGE_CERT": certificate, "OTELCOL_TC_PAGE_KEY": key,
		},
	})
	b := startBrowser(t)
	asked := b.logIn(t, "reader", "secret")
	b.do(t, chromedp.Navigate("https://"+c.Page+"/"))

	b.await(t, `document.querySelector("#overview pre") !== null`)
	assert.NotZero(t, asked.Load(), "the browser asked for a password")
	assert.Equal(t, []string{"gRPC: http://" + c.GRPC, "HTTP: http://" + c.HTTP}, b.texts(t, "#overview .receivers li"))
	command := b.texts(t, "#overview pre")[0]
	output, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
	require.NoError(t, err, "%s: %s", command, output)
	assert.Contains(t, string(output), `{"partialSuccess":{}}`, command)
	b.await(t, fmt.Sprintf(`[...document.querySelectorAll("#services th")].some((e) => e.innerText === %q)`, "hello"))
	b.await(t, `document.querySelector("#overview pre") === null`)
}

// logIn answers the browser's questions for a password, and returns how many there were. The browser takes
// any certificate.
func (b *browser) logIn(t *testing.T, user, password string) (asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	require.NoError(t, chromedp.Listen(b.ctx, func(event any) {
		// A call from the listener itself would wait for the listener.
		switch event := event.(type) {
		case *fetch.EventRequestPaused:
			go chromedp.Call(b.ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: event.RequestID}) //nolint:errcheck // the page would stay empty
		case *fetch.EventAuthRequired:
			asked.Add(1)
			go chromedp.Call(b.ctx, fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{ //nolint:errcheck // as above
				RequestID: event.RequestID,
				AuthChallengeResponse: &fetch.AuthChallengeResponse{
					Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: user, Password: password,
				},
			})
		}
	}))
	handle := true
	_, err := chromedp.Call(b.ctx, fetch.Enable, fetch.EnableParams{HandleAuthRequests: &handle})
	require.NoError(t, err)
	_, err = chromedp.Call(b.ctx, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
	require.NoError(t, err)
	return asked
}
