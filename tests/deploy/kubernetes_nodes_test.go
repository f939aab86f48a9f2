// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

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
