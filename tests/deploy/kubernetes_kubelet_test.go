// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// With the chart's switch and the token of its service account, an agent gets what a kubelet and cAdvisor show.
// The kubelet here asks the API server who calls and whether they may, as that of a node does.
func checkChartKubelet(t *testing.T, k *kubeserver.Server) {
	const namespace, name = "nodes-agent", "nodes-otelcol-tc-agent"
	k.Helm(t, "install", "nodes", kubeserver.HelmChart, "--namespace", "nodes", "--create-namespace", "--set", "agent.kubelet.enabled=true")
	set, err := k.Client.AppsV1().DaemonSets(namespace).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Contains(t, set.Spec.Template.Spec.Containers[0].Args, "--config=builtin:fragments/agent-kubelet")
	account := "system:serviceaccount:" + namespace + ":" + name
	for subresource, want := range map[string]bool{"metrics": true, "proxy": false, "stats": false, "log": false} {
		assert.Equal(t, want, mayGetNode(t, k, account, subresource), subresource)
	}
	assert.False(t, mayGetNode(t, k, "system:serviceaccount:team-b-agent:otelcol-tc-agent", "metrics"), "without the switch")

	signer := collectortest.NewAuthority(t)
	request, err := k.Client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	token := collectortest.WriteFile(t, "token", request.Status.Token)
	for _, ip := range []string{"127.0.0.1", "::1"} {
		t.Run(ip, func(t *testing.T) {
			if ip == "::1" && !hasIPv6() {
				t.Skip("no IPv6 on this machine")
			}
			a := startAgent(t, "node-a", kubeserver.WriteKubeconfig(t, k.URL, k.Authority, request.Status.Token), map[string]string{
				"OTELCOL_TC_KUBELET_HOST":  ip,
				"OTELCOL_TC_KUBELET_PORT":  serveKubelet(t, k, signer, ip),
				"OTELCOL_TC_KUBELET_CA":    signer.File,
				"OTELCOL_TC_KUBELET_TOKEN": token,
				// The certificate is for the other address.
				"OTELCOL_TC_KUBELET_INSECURE": fmt.Sprint(ip == "::1"),
				"OTELCOL_TC_SCRAPE_INTERVAL":  "1s",
			}, "agent-kubelet")
			awaitKubelet(t, a)
		})
	}
}

// awaitKubelet waits until an agent has delivered the metrics of the kubelet, and only those.
func awaitKubelet(t *testing.T, a *nodeAgent) {
	t.Helper()
	want := map[string]string{
		"kubelet_running_pods":               "kubelet node-a",
		"container_memory_working_set_bytes": "cadvisor node-a",
	}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got := map[string]string{}
		for resource, metric := range collectortest.MetricsByResource(a.backend.Metrics(t)) {
			service, _ := resource.Attributes().Get("service.name")
			instance, _ := resource.Attributes().Get("service.instance.id")
			if strings.HasPrefix(metric.Name(), "kubelet_") || strings.HasPrefix(metric.Name(), "container_") {
				got[metric.Name()] = service.AsString() + " " + instance.AsString()
			}
		}
		return assert.ObjectsAreEqual(want, got), fmt.Sprintf("got %v\nwant %v", got, want)
	})
}

// serveKubelet serves two pages of metrics over TLS at an address until the test ends, and returns its port.
func serveKubelet(t *testing.T, k *kubeserver.Server, signer *collectortest.Authority, ip string) string {
	t.Helper()
	certificate, err := tls.LoadX509KeyPair(signer.Server(t))
	require.NoError(t, err)
	mux := http.NewServeMux()
	page := func(path, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			review, err := k.Client.AuthenticationV1().TokenReviews().Create(r.Context(),
				&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
			if err != nil || !review.Status.Authenticated || !mayGetNode(t, k, review.Status.User.Username, "metrics") {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			w.Header().Set("Content-Type", "text/plain; version=0.0.4")
			_, _ = fmt.Fprint(w, text)
		})
	}
	page("/metrics", "# TYPE kubelet_running_pods gauge\nkubelet_running_pods 12\n")
	page("/metrics/cadvisor", `# TYPE container_memory_working_set_bytes gauge
container_memory_working_set_bytes{container="main",namespace="models",pod="server-0"} 5e+08
# TYPE container_tasks_state gauge
container_tasks_state{container="main",namespace="models",pod="server-0",state="running"} 0
`)
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	require.NoError(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}}
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	return port
}

// mayGetNode reports whether the API server lets a user get a subresource of a node.
func mayGetNode(t *testing.T, k *kubeserver.Server, user, subresource string) bool {
	review, err := k.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: "get", Resource: "nodes", Subresource: subresource, Name: "node-a",
		}},
	}, metav1.CreateOptions{})
	return err == nil && review.Status.Allowed
}
