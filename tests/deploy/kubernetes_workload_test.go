// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"slices"
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
	k                   *kubeserver.Server
	plain, silent, done *podPage
	plainUID, otherUID  string
	wantA, wantB        map[string]string // what scrapedPods returns for the agent of each node
}

// addWorkload makes pods with the annotations that there are. One of them serves TLS.
func addWorkload(t *testing.T, k *kubeserver.Server, signer *collectortest.Authority) *workload {
	t.Helper()
	certificate, err := tls.LoadX509KeyPair(signer.Server(t))
	require.NoError(t, err)
	w := &workload{k: k, wantA: map[string]string{}, wantB: map[string]string{}}

	w.plain = servePage(t, "127.0.78.11", "/metrics")
	w.plainUID = w.add(t, "server", w.plain, nodePod{name: "plain", node: "node-a", ip: "127.0.78.11", labels: named("server"),
		annotations: scraped(w.plain.port), containers: map[string]int{"main": 8000, "other": 0}})
	path := servePage(t, "127.0.78.12", "/stats/prometheus")
	w.add(t, "server", path, nodePod{name: "path", node: "node-a", ip: "127.0.78.12", labels: map[string]string{"app": "loader"},
		annotations: scraped(path.port, "path", "/stats/prometheus", "scheme", "http"), containers: map[string]int{"main": 0}})
	// The certificate is for this address.
	secure := servePage(t, "127.0.0.1", "/metrics", certificate)
	w.add(t, "secure", secure, nodePod{name: "secure", node: "node-a", ip: "127.0.0.1", labels: named("secure"),
		annotations: scraped(secure.port, "scheme", "https"), containers: map[string]int{"main": 0}})
	declared := servePage(t, "127.0.78.13", "/metrics")
	w.add(t, "declared", declared, nodePod{name: "declared", node: "node-a", ip: "127.0.78.13", labels: named("declared"),
		annotations: scraped(0), containers: map[string]int{"main": declared.port}})
	// Without a label it is the service of its deployment, whatever its containers are called.
	sidecar := servePage(t, "127.0.78.16", "/metrics")
	w.add(t, "server", sidecar, nodePod{name: "sidecar", node: "node-a", ip: "127.0.78.16",
		annotations: scraped(sidecar.port), containers: map[string]int{"main": 8000, "proxy": 15000}})
	if hasIPv6() {
		six := servePage(t, "::1", "/metrics")
		w.add(t, "six", six, nodePod{name: "six", node: "node-a", ip: "::1", labels: named("six"),
			annotations: scraped(six.port), containers: map[string]int{"main": 0}})
	}
	other := servePage(t, "127.0.78.21", "/metrics")
	w.otherUID = w.add(t, "server", other, nodePod{name: "other", node: "node-b", ip: "127.0.78.21", labels: named("server"),
		annotations: scraped(other.port), containers: map[string]int{"main": 0}})

	w.silent = servePage(t, "127.0.78.14", "/metrics")
	addPod(t, k, nodePod{name: "silent", node: "node-a", ip: "127.0.78.14", labels: named("silent"),
		containers: map[string]int{"main": w.silent.port}})
	w.done = servePage(t, "127.0.78.15", "/metrics")
	addPod(t, k, nodePod{name: "done", node: "node-a", ip: "127.0.78.15", labels: named("done"),
		annotations: scraped(w.done.port), containers: map[string]int{"main": 0}, done: true})
	return w
}

// add makes a pod that is to be scraped as a service, and returns its UID.
func (w *workload) add(t *testing.T, service string, page *podPage, p nodePod) string {
	t.Helper()
	want := w.wantA
	if p.node == "node-b" {
		want = w.wantB
	}
	want[p.name] = fmt.Sprintf("%s at %s on %s", service, page.address, p.node)
	return addPod(t, w.k, p)
}

// addNamed makes a pod of node-a like most.
func (w *workload) addNamed(t *testing.T, name, ip string) *podPage {
	t.Helper()
	page := servePage(t, ip, "/metrics")
	w.add(t, name, page, nodePod{name: name, node: "node-a", ip: ip, labels: named(name),
		annotations: scraped(page.port), containers: map[string]int{"main": 0}})
	return page
}

func named(name string) map[string]string { return map[string]string{"app.kubernetes.io/name": name} }

// scraped are the annotations of a pod that is to be scraped, at a port unless that is 0.
func scraped(port int, more ...string) map[string]string {
	annotations := map[string]string{"prometheus.io/scrape": "true"}
	if port != 0 {
		annotations["prometheus.io/port"] = fmt.Sprint(port)
	}
	for pair := range slices.Chunk(more, 2) {
		annotations["prometheus.io/"+pair[0]] = pair[1]
	}
	return annotations
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

// nodePod is a pod that a scheduler and a kubelet would have put on a node.
type nodePod struct {
	name, node, ip      string
	labels, annotations map[string]string
	// containers are the names of its containers, and the port that each declares.
	containers map[string]int
	done       bool
}

// addPod makes a pod of the deployment "server", with its address, and returns its UID.
func addPod(t *testing.T, k *kubeserver.Server, p nodePod) string {
	t.Helper()
	if p.labels == nil {
		p.labels = map[string]string{}
	}
	const hash = "7c9d8f6b54"
	p.labels["pod-template-hash"] = hash
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: p.name, Namespace: workloads, Labels: p.labels, Annotations: p.annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "server-" + hash, UID: "5f3c", Controller: ptr.To(true),
			}},
		},
		Spec: corev1.PodSpec{NodeName: p.node},
	}
	for name, port := range p.containers {
		container := corev1.Container{Name: name, Image: "none"}
		if port != 0 {
			container.Ports = []corev1.ContainerPort{{ContainerPort: int32(port)}}
		}
		pod.Spec.Containers = append(pod.Spec.Containers, container)
	}
	pods := k.Client.CoreV1().Pods(workloads)
	pod, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
	pod.Status.Phase = corev1.PodRunning
	if p.done {
		pod.Status.Phase = corev1.PodSucceeded
	}
	pod.Status.StartTime = &metav1.Time{Time: time.Now()}
	pod.Status.PodIP, pod.Status.PodIPs = p.ip, []corev1.PodIP{{IP: p.ip}}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	pod, err = pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
	require.NoError(t, err)
	return string(pod.UID)
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
