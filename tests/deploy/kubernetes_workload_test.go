// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"crypto/tls"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

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
