// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// workload is the pods of two nodes, and what agents should make of them.
type workload struct {
	k           *kubeserver.Server
	certificate tls.Certificate // of the pods that serve TLS
	pages       map[string]*podPage
	uids        map[string]string
	want        map[string]map[string]string // what scrapedPods returns for the agent of each node
}

// addWorkload makes pods with the annotations that there are. One of them serves TLS.
func addWorkload(t *testing.T, k *kubeserver.Server, signer *collectortest.Authority) *workload {
	t.Helper()
	certificate, err := tls.LoadX509KeyPair(signer.Server(t))
	require.NoError(t, err)
	w := &workload{k: k, certificate: certificate, pages: map[string]*podPage{}, uids: map[string]string{}, want: map[string]map[string]string{"node-a": {}, "node-b": {}}}
	w.addPods(t, "workload.yaml")
	return w
}

// addPods makes the pods of a file.
func (w *workload) addPods(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "pods", file))
	require.NoError(t, err)
	for manifest := range strings.SplitSeq(string(text), "\n---\n") {
		w.add(t, manifest)
	}
}

// add makes a pod, and serves its page. Its manifest has $port where the page's is, and in an annotation the service as
// which it is to be scraped.
func (w *workload) add(t *testing.T, manifest string) {
	t.Helper()
	read := func(port int) *corev1.Pod {
		objects, err := decodeObjects([]byte(strings.ReplaceAll(manifest, "$port", fmt.Sprint(port))))
		require.NoError(t, err)
		return objects[0].(*corev1.Pod)
	}
	pod := read(1)
	if pod.Status.PodIP == "::1" && !hasIPv6() {
		return
	}
	var certificates []tls.Certificate
	if pod.Annotations["prometheus.io/scheme"] == "https" {
		certificates = append(certificates, w.certificate)
	}
	page := servePage(t, pod.Status.PodIP, cmp.Or(pod.Annotations["prometheus.io/path"], "/metrics"), certificates...)
	pod = read(page.port)
	if service := pod.Annotations["tests/service"]; service != "" {
		w.want[pod.Spec.NodeName][pod.Name] = fmt.Sprintf("%s at %s on %s", service, page.address, pod.Spec.NodeName)
	}
	w.pages[pod.Name], w.uids[pod.Name] = page, addPod(t, w.k, pod)
}

// addNamed makes a pod of node-a like most.
func (w *workload) addNamed(t *testing.T, name, ip string) {
	t.Helper()
	w.add(t, fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata:
  name: %[1]s
  labels: {app.kubernetes.io/name: %[1]s}
  annotations: {prometheus.io/scrape: "true", prometheus.io/port: "$port", tests/service: %[1]s}
spec: {nodeName: node-a, containers: [{name: main, image: none}]}
status: {phase: Running, podIP: %[2]s}
`, name, ip))
}

// workloads is the namespace of the pods that agents look at.
const workloads = "models"

// addNodes makes two nodes and a namespace for pods.
func addNodes(t *testing.T, k *kubeserver.Server) {
	t.Helper()
	for _, name := range []string{"node-a", "node-b"} {
		_, err := k.Client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	_, err := k.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: workloads}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = k.Client.CoreV1().ServiceAccounts(workloads).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// addPod makes a pod of the deployment "server", as a scheduler and a kubelet would have put it on its node, and returns
// its UID.
func addPod(t *testing.T, k *kubeserver.Server, pod *corev1.Pod) string {
	t.Helper()
	const hash = "7c9d8f6b54"
	metav1.SetMetaDataLabel(&pod.ObjectMeta, "pod-template-hash", hash)
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "server-" + hash, UID: "5f3c", Controller: ptr.To(true),
	}}
	pods := k.Client.CoreV1().Pods(workloads)
	made, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
	made.Status = pod.Status
	made.Status.StartTime = &metav1.Time{Time: time.Now()}
	made.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	made.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	made, err = pods.UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
	require.NoError(t, err)
	return string(made.UID)
}

// podPage is what a pod serves to be scraped.
type podPage struct {
	address string // host:port
	port    int
	hits    atomic.Int64
	last    atomic.Int64 // when, in Unix milliseconds
}

// servePage serves metrics at a path of an address until the test ends, over TLS with certificates.
func servePage(t *testing.T, ip, path string, certificates ...tls.Certificate) *podPage {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	require.NoError(t, err)
	p := &podPage{address: listener.Addr().String(), port: listener.Addr().(*net.TCPAddr).Port}
	if len(certificates) > 0 {
		listener = tls.NewListener(listener, &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12})
	}
	mux := http.NewServeMux()
	mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		p.last.Store(time.Now().UnixMilli())
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = fmt.Fprintf(w, "# TYPE requests_total counter\nrequests_total %d\n", p.hits.Add(1))
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }() // until it is closed
	t.Cleanup(func() { _ = server.Close() })
	return p
}

// quiet is how long nobody has asked for the page.
func (p *podPage) quiet() time.Duration { return time.Since(time.UnixMilli(p.last.Load())) }
