// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// nodeAgent is the agent of a node, and a backend of its own that it sends to.
type nodeAgent struct {
	*collectortest.Collector
	backend *collectortest.Collector
}

// startAgent runs the agent's profile, and fragments over it, with a configuration of the API. The environment
// says more.
func startAgent(t *testing.T, node, kubeconfig string, env map[string]string, fragments ...string) *nodeAgent {
	t.Helper()
	backend := collectortest.Start(t, collectortest.Options{Configs: []string{collectortest.PlainBackend}})
	all := map[string]string{
		"OTELCOL_TC_NODE":            node,
		"OTELCOL_TC_GATEWAYS":        fmt.Sprintf("[%q]", backend.GRPC),
		"OTELCOL_TC_KUBERNETES_AUTH": "kubeConfig",
		"OTELCOL_TC_HOST_INTERVAL":   "1h",
		"KUBECONFIG":                 kubeconfig,
	}
	maps.Copy(all, env)
	configs := []string{"builtin:agent"}
	for _, fragment := range fragments {
		configs = append(configs, "builtin:fragments/"+fragment)
	}
	return &nodeAgent{
		Collector: collectortest.Start(t, collectortest.Options{Configs: configs, Env: all}),
		backend:   backend,
	}
}

// checkAgents starts agents of two nodes, and pods on both. What an agent knows of pods, and what
// it scrapes, is what runs on its own node, with nothing but the role that ships.
func checkAgents(t *testing.T, k *kubeserver.Server) {
	signer := collectortest.NewAuthority(t)
	w := addWorkload(t, k, signer)
	a := startAgent(t, "node-a", agentKubeconfig(t, k), map[string]string{"SSL_CERT_FILE": signer.File})
	// As with an API server that cannot send the list as a stream of changes.
	b := startAgent(t, "node-b", agentKubeconfig(t, k), map[string]string{"KUBE_FEATURE_WatchListClient": "false"})
	awaitScraped(t, a, w.want["node-a"])
	awaitScraped(t, b, w.want["node-b"])

	// By address, by UID, and neither for pods of other nodes.
	known := map[string]any{"k8s.pod.name": "plain", "k8s.pod.uid": w.uids["plain"], "k8s.namespace.name": workloads,
		"k8s.deployment.name": "server", "k8s.node.name": "node-a"}
	a.checkEnriched(t, "127.0.78.11", "", known)
	a.checkEnriched(t, "127.0.78.99", w.uids["plain"], known)
	a.checkEnriched(t, "127.0.78.21", "", map[string]any{})
	a.checkEnriched(t, "127.0.78.99", w.uids["other"], map[string]any{"k8s.pod.uid": w.uids["other"]})
	b.checkEnriched(t, "127.0.78.21", "", map[string]any{"k8s.pod.name": "other", "k8s.pod.uid": w.uids["other"],
		"k8s.namespace.name": workloads, "k8s.deployment.name": "server", "k8s.node.name": "node-b"})

	checkVolumeLogs(t, k, w)
	checkServices(t, k, w, signer)

	// Pods come and go.
	w.addNamed(t, "late", "127.0.78.17")
	awaitScraped(t, a, w.want["node-a"])
	require.NoError(t, k.Client.CoreV1().Pods(workloads).Delete(t.Context(), "late", metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return w.pages["late"].quiet() > 3*time.Second, "a pod that is deleted is still scraped"
	})

	// Before the server starts again: it forbids everything until it has read the roles.
	checkRole(t, k)

	// Without the API server data goes on, also at an agent that starts meanwhile. Logs of pods wait for it.
	kubeconfig := agentKubeconfig(t, k)
	k.Kill(t)
	before := w.pages["plain"].hits.Load()
	kubelet := t.TempDir()
	collectortest.AppendLines(t, filepath.Join(volumeOf(t, kubelet, w.uids["plain"], "otelcol-tc-logs-web"), "x.log"), "waits")
	starts := startAgent(t, "node-a", kubeconfig, map[string]string{"SSL_CERT_FILE": signer.File, "OTELCOL_TC_KUBELET": kubelet, "OTELCOL_TC_POD_WAIT": "2m"})
	starts.checkAPIAway(t)
	a.checkEnriched(t, "127.0.78.11", "", known)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return w.pages["plain"].hits.Load() >= before+3, "no scrapes while the API server is away"
	})
	log, ready := k.Run(t)
	require.True(t, ready, log)
	defer k.Kill(t)
	w.addNamed(t, "again", "127.0.78.18")
	awaitScraped(t, a, w.want["node-a"])
	starts.awaitPods(t)
	starts.checkEnriched(t, "127.0.78.11", "", known)
	assert.Equal(t, map[string]string{"waits": fmt.Sprintf("%s plain %s web server", workloads, w.uids["plain"])}, volumeRecords(t, starts, 1))

	assert.Zero(t, w.pages["silent"].hits.Load(), "not annotated")
	assert.Zero(t, w.pages["done"].hits.Load(), "ended")
	// To the end, no agent has scraped what another should.
	assert.Equal(t, w.want["node-b"], scrapedPods(t, b))
}

// awaitScraped waits until an agent has delivered metrics of all these pods, and of no other.
func awaitScraped(t *testing.T, a *nodeAgent, want map[string]string) {
	t.Helper()
	// After an outage, clients wait for up to 30 s before they ask again.
	collectortest.Eventually(t, 3*collectortest.ArrivalTimeout, func() (bool, string) {
		got := scrapedPods(t, a)
		return assert.ObjectsAreEqual(want, got), fmt.Sprintf("scraped %v\nwant %v", got, want)
	})
}

// scrapedPods says of each scraped pod which service it is, where, and on which node. A pod that is
// scraped as two services has both.
func scrapedPods(t *testing.T, a *nodeAgent) map[string]string {
	t.Helper()
	pods := map[string]string{}
	for _, resource := range a.backend.Metrics(t).ResourceMetrics().All() {
		text := func(key string) string {
			return cmp.Or(judge.Text(resource.Resource().Attributes(), key), "nothing")
		}
		if text("service.name") == "host" {
			continue // the node's own
		}
		this := fmt.Sprintf("%s at %s on %s", text("service.name"), text("service.instance.id"), text("k8s.node.name"))
		pod := text("k8s.pod.name")
		if before, ok := pods[pod]; ok && before != this {
			this = before + " and " + this
		}
		pods[pod] = this
	}
	return pods
}

// checkAPIAway requires that an agent that was started without the API server gets work, and reports why names of pods
// are missing.
func (a *nodeAgent) checkAPIAway(t *testing.T) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		page, err := collectortest.GetPage(t.Context(), "http://"+a.Readiness)
		return err == nil && bytes.Contains(page, []byte("no_pods")), fmt.Sprintf("readiness: %v\n%s", err, page)
	})
	a.checkEnriched(t, "127.0.78.11", "", map[string]any{})
}

// awaitPods waits until nothing is against work any more.
func (a *nodeAgent) awaitPods(t *testing.T) {
	t.Helper()
	// After an outage, clients wait for up to 30 s before they ask again.
	collectortest.Eventually(t, 3*collectortest.ArrivalTimeout, func() (bool, string) {
		page, err := collectortest.GetPage(t.Context(), "http://"+a.Readiness)
		return err == nil && bytes.Contains(page, []byte(`"conditions": []`)), fmt.Sprintf("readiness: %v\n%s", err, page)
	})
}

// checkEnriched sends a span from an address, with the UID of a pod unless that is empty, and checks
// what the backend knows of its pod.
func (a *nodeAgent) checkEnriched(t *testing.T, from, uid string, want map[string]any) {
	t.Helper()
	sent := map[string]any{}
	if uid != "" {
		sent["k8s.pod.uid"] = uid
	}
	got := map[string]any{}
	for key, value := range a.sendFrom(t, from, sent) {
		if strings.HasPrefix(key, "k8s.") {
			got[key] = value
		}
	}
	assert.Equal(t, want, got, "from %s, UID %q", from, uid)
}

// sendFrom sends a span of a resource from an address, and returns the resource that arrives.
func (a *nodeAgent) sendFrom(t *testing.T, from string, sent map[string]any) map[string]any {
	t.Helper()
	ref := payload.NewSpanRef()
	traces := ptrace.NewTraces()
	resource := traces.ResourceSpans().AppendEmpty()
	require.NoError(t, resource.Resource().Attributes().FromRaw(sent))
	span := resource.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(ref.TraceID)
	span.SetSpanID(ref.SpanID)
	span.SetName("Server/Work")
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)

	client := &http.Client{Timeout: collectortest.ArrivalTimeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext,
	}}
	response, err := client.Post("http://"+a.HTTP+"/v1/traces", "application/x-protobuf", bytes.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)

	var got map[string]any
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		for resource, span := range collectortest.SpansByResource(a.backend.Traces(t)) {
			if span.SpanID() == ref.SpanID {
				got = resource.Attributes().AsRaw()
				return true, ""
			}
		}
		return false, "the span did not arrive"
	})
	return got
}

// agentKubeconfig logs in as the agents' service account, by a token as pods get it.
func agentKubeconfig(t *testing.T, k *kubeserver.Server) string {
	t.Helper()
	request, err := k.Client.CoreV1().ServiceAccounts(kubeserver.AgentNamespace).CreateToken(t.Context(), "otelcol-tc-agent",
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	return kubeserver.WriteKubeconfig(t, k.URL, k.Authority, request.Status.Token)
}

// ownNode is how agents ask for pods: for those of their node.
var ownNode = regexp.MustCompile(`[?&]fieldSelector=spec\.nodeName%3Dnode-[ab](&|$)`)

// auditEvent is a line of the audit log, as far as it is looked at here.
type auditEvent struct {
	Verb        string
	RequestURI  string
	ObjectRef   struct{ APIGroup, Resource, Subresource string }
	Annotations map[string]string
}

// checkRole checks by the audit log that agents asked for what their role allows: for nothing else,
// and for all of it.
func checkRole(t *testing.T, k *kubeserver.Server) {
	t.Helper()
	type permission struct{ group, resource, verb string }
	role, err := k.Client.RbacV1().ClusterRoles().Get(t.Context(), "otelcol-tc-agent", metav1.GetOptions{})
	require.NoError(t, err)
	granted := map[permission]bool{}
	for _, rule := range role.Rules {
		require.Empty(t, rule.NonResourceURLs)
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					granted[permission{group, resource, verb}] = true
				}
			}
		}
	}

	asked := map[permission]bool{}
	file, err := os.Open(k.AuditLog)
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event auditEvent
		require.NoError(t, json.Unmarshal(lines.Bytes(), &event), "%s", lines.Bytes())
		assert.Equal(t, "allow", event.Annotations["authorization.k8s.io/decision"], event.RequestURI)
		assert.Regexp(t, ownNode, event.RequestURI)
		assert.Empty(t, event.ObjectRef.Subresource, event.RequestURI)
		asked[permission{event.ObjectRef.APIGroup, event.ObjectRef.Resource, event.Verb}] = true
	}
	require.NoError(t, lines.Err())
	assert.Equal(t, granted, asked)
}
